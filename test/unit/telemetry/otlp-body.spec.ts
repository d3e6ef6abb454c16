import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { DomainError } from '../../../src/common/errors/domain-error.js';
import { readOtlpBody } from '../../../src/modules/telemetry/otlp/otlp-body.js';

const LIMITS = { limitBytes: 1_000, timeoutMs: 500 };

/** What came of a request: the body, or the code of the refusal. */
type Read = { encoding: string; text: string } | { code: string };

describe('bodies of OTLP requests', () => {
  let server: Server;

  beforeAll(async () => {
    server = createServer((message, response) => {
      readOtlpBody(message, LIMITS)
        .then(({ encoding, bytes }): Read => ({ encoding, text: bytes.toString() }))
        .catch((error: unknown): Read => ({ code: error instanceof DomainError ? error.code : String(error) }))
        .then((read) => response.setHeader('Connection', 'close').end(JSON.stringify(read)))
        .catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  /** Sends the pieces; with a length if it is told, else chunked. An open one never ends. */
  function send(headers: Record<string, string>, pieces: (Buffer | string)[], { open = false } = {}): Promise<Read> {
    return new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const sending = request({ port, host: '127.0.0.1', method: 'POST', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          sending.destroy();
          resolve(JSON.parse(Buffer.concat(chunks).toString()) as Read);
        });
      });
      sending.on('error', reject);
      for (const piece of pieces) sending.write(piece);
      if (!open) sending.end();
    });
  }

  const JSON_TYPE = { 'Content-Type': 'application/json' };
  const PROTOBUF_TYPE = { 'Content-Type': 'application/x-protobuf' };
  const gzip = { 'Content-Encoding': 'gzip' };

  it.each([
    ['application/json', 'json'],
    ['Application/JSON; charset=UTF-8', 'json'],
    ['application/x-protobuf', 'protobuf'],
  ])('are taken as %s', async (type, encoding) => {
    expect(await send({ 'Content-Type': type }, ['a', 'b'])).toEqual({ encoding, text: 'ab' });
  });

  it.each(['text/plain', 'application/protobuf', 'application/grpc', 'application/json; charset=latin1', ''])(
    'are refused as "%s"',
    async (type) => {
      expect(await send(type === '' ? {} : { 'Content-Type': type }, ['{}'])).toEqual({
        code: 'unsupported_media_type',
      });
    },
  );

  it('are unzipped', async () => {
    expect(await send({ ...PROTOBUF_TYPE, ...gzip }, [gzipSync('hello')])).toEqual({
      encoding: 'protobuf',
      text: 'hello',
    });
    const twoMembers = Buffer.concat([gzipSync('he'), gzipSync('llo')]);
    expect(await send({ ...JSON_TYPE, 'Content-Encoding': 'GZIP' }, [twoMembers])).toMatchObject({ text: 'hello' });
    expect(await send({ ...JSON_TYPE, 'Content-Encoding': 'identity' }, ['hello'])).toMatchObject({ text: 'hello' });
  });

  it.each(['deflate', 'br', 'zstd', 'gzip, gzip'])('are refused with the encoding %s', async (encoding) => {
    const headers = { ...JSON_TYPE, 'Content-Encoding': encoding };
    expect(await send(headers, ['{}'])).toEqual({ code: 'unsupported_media_type' });
  });

  it('may be empty', async () => {
    expect(await send(JSON_TYPE, [])).toEqual({ encoding: 'json', text: '' });
    expect(await send({ ...PROTOBUF_TYPE, ...gzip }, [])).toEqual({ encoding: 'protobuf', text: '' });
    expect(await send({ ...PROTOBUF_TYPE, ...gzip }, [gzipSync('')])).toEqual({ encoding: 'protobuf', text: '' });
  });

  it('may be as large as the limit, and no larger', async () => {
    const most = 'x'.repeat(1_000);
    expect(await send(JSON_TYPE, [most])).toMatchObject({ text: most });
    expect(await send({ ...JSON_TYPE, ...gzip }, [gzipSync(most)])).toMatchObject({ text: most });
    expect(await send(JSON_TYPE, [most, 'x'])).toEqual({ code: 'payload_too_large' });
    expect(await send({ ...JSON_TYPE, ...gzip }, [gzipSync(`${most}x`)])).toEqual({ code: 'payload_too_large' });
  });

  it('are refused by their length before they arrive', async () => {
    const headers = { ...JSON_TYPE, 'Content-Length': '1001' };
    expect(await send(headers, ['x'], { open: true })).toEqual({ code: 'payload_too_large' });
    expect(await send({ ...headers, ...gzip }, ['x'], { open: true })).toEqual({ code: 'payload_too_large' });
  });

  it('are limited before they are unzipped, too', async () => {
    const nothing = Buffer.concat(Array.from({ length: 100 }, () => gzipSync('')));
    expect(await send({ ...JSON_TYPE, ...gzip }, [nothing], { open: true })).toEqual({ code: 'payload_too_large' });
  });

  it('are not unzipped beyond the limit', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024)), { level: 9 });
    expect(bomb.length).toBeLessThan(1_000);
    const inner = gzipSync(Buffer.alloc(500_000));
    expect(inner.length).toBeLessThan(1_000);
    const start = performance.now();
    expect(await send({ ...JSON_TYPE, ...gzip }, [bomb])).toEqual({ code: 'payload_too_large' });
    expect(await send({ ...JSON_TYPE, ...gzip }, [inner])).toEqual({ code: 'payload_too_large' });
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it.each<[string, Buffer]>([
    ['cut off', gzipSync('hello').subarray(0, -4)],
    ['only begun', gzipSync('hello').subarray(0, 5)],
    ['no gzip', Buffer.from('hello')],
    ['damaged', Buffer.concat([gzipSync('hello').subarray(0, -8), Buffer.alloc(8)])],
  ])('are refused when the gzip is %s', async (_, bytes) => {
    expect(await send({ ...JSON_TYPE, ...gzip }, [bytes])).toEqual({ code: 'invalid_request' });
  });

  it('have to arrive in time', async () => {
    expect(await send(JSON_TYPE, ['{'], { open: true })).toEqual({ code: 'request_timeout' });
  });
});
