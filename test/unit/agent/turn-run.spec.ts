import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Outbox, type OutboxEntry } from '../../../src/agent/relay/outbox.js';
import { TurnRun } from '../../../src/agent/session/turn-run.js';
import type { RelayMessage, UsageReport } from '../../../src/protocol/relay-protocol.js';
import { eventually } from '../../support/eventually.js';

const MIB = 1024 * 1024;

let directory: string;
let outbox: Outbox;
let turn: TurnRun;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turn-run-'));
  outbox = Outbox.open(directory);
  const ref = { sessionId: randomUUID(), messageId: randomUUID(), attempt: 1 };
  turn = new TurnRun({ ...ref, content: [], settings: {}, controls: {} }, outbox);
});
afterEach(() => {
  turn.drop();
  outbox.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Everything that was said, once somebody listens. */
async function said(): Promise<OutboxEntry[]> {
  const entries: OutboxEntry[] = [];
  outbox.attach((entry) => Promise.resolve(void entries.push(entry)));
  await outbox.emptied();
  return entries;
}

const messagesOf = ({ params }: OutboxEntry) => (params.messages ?? []) as RelayMessage[];
const say = (text: string, messageId?: string) =>
  turn.apply({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId });
const useTool = (n: number) =>
  turn.apply({ sessionUpdate: 'tool_call', toolCallId: `${n}`, title: 'Look', kind: 'read', status: 'completed' });
const report = (n: number): UsageReport => ({ id: randomUUID(), type: 'model_call', at: new Date().toISOString(), n });

describe('what an agent does', () => {
  it('is said while it works, and again when it has changed', async () => {
    const entries: OutboxEntry[] = [];
    outbox.attach((entry) => Promise.resolve(void entries.push(entry)));
    say('one ', 'a');
    await eventually('the first is said', () => entries.length === 1);
    say('two', 'a');
    await eventually('the second is said', () => entries.length === 2);
    const texts = entries.flatMap(messagesOf).map(({ content }) => content[0]?.text);
    expect(texts).toEqual(['one ', 'one two']);
    expect(new Set(entries.flatMap(messagesOf).map(({ id }) => id)).size).toBe(1);
  });

  it('is all said by the end of the turn, in answer to its message', async () => {
    say('hello');
    turn.end('completed');
    const entries = await said();
    expect(entries).toMatchObject([{ method: 'turn.end', params: { turn: turn.ref, reason: 'completed' } }]);
    expect(entries.flatMap(messagesOf)).toMatchObject([
      { role: 'assistant', parentId: turn.ref.messageId, content: [{ type: 'text', text: 'hello' }] },
    ]);
  });

  it('is not said after the turn has ended or was lost', async () => {
    turn.end('completed');
    say('late');
    turn.end('error');
    turn.leave();
    expect((await said()).map(({ method }) => method)).toEqual(['turn.end']);
  });

  it('is said before the turn is left to the next client, and nothing after that', async () => {
    say('half');
    turn.leave();
    turn.end('error');
    expect((await said()).map(({ method }) => method)).toEqual(['message.put']);
  });
});

describe('a frame', () => {
  it('holds 100 messages', async () => {
    for (let n = 0; n < 99; n++) useTool(n);
    say('done');
    turn.end('completed');
    const entries = await said();
    const counts = entries.map((entry) => messagesOf(entry).length);
    expect([Math.max(...counts), counts.reduce((a, b) => a + b)]).toEqual([100, 199]);
    expect(entries.at(-1)?.method).toBe('turn.end');
  });

  it('holds 3 MiB', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) say('x'.repeat(0.9 * MIB), id);
    turn.end('completed');
    const sizes = (await said()).map((entry) => Buffer.byteLength(JSON.stringify(messagesOf(entry))));
    expect([sizes.length, sizes.every((size) => size <= 3 * MIB + 1024)]).toEqual([2, true]);
  });

  it('is sent after 200 updates, whether or not somebody listens', async () => {
    for (let n = 0; n < 1_000; n++) say(`${n} `);
    const puts = (await said()).filter(({ method }) => method === 'message.put');
    expect(puts).toHaveLength(5);
  });
});

describe('usage', () => {
  it('is said in portions of 500, before the end of the turn', async () => {
    turn.report(Array.from({ length: 1_100 }, (_, n) => report(n)));
    turn.end('completed');
    const entries = await said();
    expect(entries.map(({ method }) => method)).toEqual(['usage.report', 'usage.report', 'usage.report', 'turn.end']);
    const events = entries.flatMap(({ params }) => (params.events ?? []) as UsageReport[]);
    expect(events.map(({ n }) => n)).toEqual(Array.from({ length: 1_100 }, (_, n) => n));
  });

  it('counts also when the turn was lost', async () => {
    turn.report([report(1)]);
    turn.drop();
    turn.report([report(2)]);
    turn.drop();
    expect((await said()).map(({ method }) => method)).toEqual(['usage.report', 'usage.report']);
  });
});
