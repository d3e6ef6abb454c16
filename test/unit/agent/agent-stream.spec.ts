import { PassThrough } from 'node:stream';
import { AgentStream } from '../../../src/agent/acp/agent-stream.js';

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

function connect() {
  const [output, input] = [new PassThrough(), new PassThrough()];
  const updates: unknown[] = [];
  const ends: unknown[] = [];
  const stream = new AgentStream(output, input, {
    onUpdate: (params) => updates.push(params),
    onEnd: (error) => ends.push(error),
  });
  const reader = stream.readable.getReader();
  const writer = stream.writable.getWriter();
  return { output, input, updates, ends, stream, next: async () => (await reader.read()).value, writer };
}

describe('the stream of an agent', () => {
  it('has calls, and answers to what was asked, each once', async () => {
    const { output, writer, next, stream } = connect();
    await writer.write({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
    output.write(line({ id: 7, result: 'nobody asked' }));
    output.write(line({ id: 1, result: 'first' }) + line({ id: 1, result: 'again' }) + line({ id: 2, method: 'x' }));
    expect(await next()).toMatchObject({ id: 1, result: 'first' });
    expect(await next()).toMatchObject({ id: 2, method: 'x' });
    expect(stream.strayLine).toContain('again');
  });

  it('takes lines that come in pieces, also within a character', async () => {
    const { output, next } = connect();
    const bytes = Buffer.from(line({ method: 'x', params: '€' }));
    for (const byte of bytes) output.write(Buffer.from([byte]));
    expect(await next()).toMatchObject({ params: '€' });
  });

  it('tells updates apart from the rest, before anything that follows', async () => {
    const { output, next, updates } = connect();
    output.write(line({ method: 'session/update', params: 1 }) + line({ method: 'x' }));
    await next();
    expect(updates).toEqual([1]);
  });

  it('writes a line a message, and nothing to an agent that has gone', async () => {
    const { input, writer } = connect();
    await writer.write({ jsonrpc: '2.0', method: 'a\nb' });
    expect(String(input.read())).toBe('{"jsonrpc":"2.0","method":"a\\nb"}\n');
    input.destroy();
    await writer.write({ jsonrpc: '2.0', method: 'c' });
  });

  it('ends once, with the output', async () => {
    const { output, ends } = connect();
    output.end('half a line');
    await new Promise((done) => output.once('close', done));
    expect(ends).toEqual([null]);
  });
});
