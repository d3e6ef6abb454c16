import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { ApiAnswer } from '../support/api-client.js';
import type { GivenOrganization } from '../support/given.js';
import { eventually } from '../support/eventually.js';
import { anEvent, INGEST, NDJSON, type SentEvent, sendEvents, storedEvents } from '../support/given-events.js';
import { ManualClock } from '../support/manual-clock.js';
import { RawConnection, requestBytes, sendRaw } from '../support/raw-http.js';
import { TestApp } from '../support/test-app.js';

const MEBIBYTE = 1024 * 1024;
const JSON_TYPE = 'application/json';
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start({
    clock: new ManualClock('2026-11-15T08:30:00.000Z'),
    env: { REQUEST_TIMEOUT_SECONDS: '4' },
  });
});
beforeEach(async () => {
  org = await app.given.organization();
});
afterAll(() => app.stop());

const lines = (events: unknown[], separator = '\n') => events.map((event) => JSON.stringify(event)).join(separator);
const send = (type: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  sendRaw(app.url, {
    method: 'POST',
    path: INGEST,
    headers: { Authorization: `Bearer ${org.owner.key}`, 'Content-Type': type, ...headers },
    body,
  });
const gzipped = (type: string, body: string | Uint8Array) => send(type, gzipSync(body), { 'Content-Encoding': 'gzip' });
const storedCount = async () => (await storedEvents(app, org.id)).length;
const outcome = ({ status, body }: ApiAnswer) => [
  status,
  body.accepted,
  (body.rejected as { index: number }[] | undefined)?.map(({ index }) => index),
];

describe('lines of events', () => {
  let events: SentEvent[];
  beforeEach(() => {
    events = [anEvent(), anEvent('skill_used', { name: 'Größe 👩' }), anEvent('model_call')];
  });

  it.each<[string, (events: SentEvent[]) => string]>([
    ['with an end after the last', (e) => `${lines(e)}\n`],
    ['without an end after the last', (e) => lines(e)],
    ['that end as on Windows', (e) => `${lines(e, '\r\n')}\r\n`],
    ['with blank ones between them', (e) => `\n \t\r\n${lines(e, '\n\n\r\n')}\n\n`],
    ['with blanks around them', (e) => lines(e, ' \n\t ')],
  ])('%s are taken', async (_what, body) => {
    expect(outcome(await send(NDJSON, body(events)))).toEqual([200, 3, []]);
    expect((await storedEvents(app, org.id)).map(({ id }) => id).sort()).toEqual(events.map(({ id }) => id).sort());
  });

  it('may be none', async () => {
    expect(outcome(await send(NDJSON, '\n'))).toEqual([200, 0, []]);
  });

  it('may be zipped', async () => {
    expect(outcome(await gzipped(NDJSON, lines(events)))).toEqual([200, 3, []]);
  });

  it('may carry a type in other letters and with a character set', async () => {
    expect(outcome(await send('Application/X-NDJSON; charset=UTF-8', lines(events)))).toEqual([200, 3, []]);
  });

  it('are rejected one by one, with their place among those that are not blank', async () => {
    const bad = ['{"id":', '[1]', '"\\ud800"', '{"a":1,"a":2}', `{"a":1e400}`, '\ufeff{}'];
    const body = [lines([events[0]]), '', ...bad, lines([events[1]])].join('\n');
    const answer = await send(NDJSON, body);
    expect(outcome(answer)).toEqual([200, 2, [1, 2, 3, 4, 5, 6]]);
    expect((answer.body.rejected as { error: string }[]).map(({ error }) => error)).toEqual([
      'The line is not valid JSON.',
      'an event must be an object',
      expect.stringContaining('half a surrogate pair'),
      'a: is given more than once',
      expect.stringContaining('cannot be represented exactly'),
      'The line is not valid JSON.',
    ]);
  });

  it('that are not UTF-8 spoil no neighbour', async () => {
    const body = Buffer.concat([
      Buffer.from(`${lines([events[0]])}\n"\xff"\n`, 'latin1'),
      Buffer.from(lines([events[2]])),
    ]);
    const answer = await send(NDJSON, body);
    expect(outcome(answer)).toEqual([200, 2, [1]]);
    expect(answer.body.rejected[0].error).toBe('The line is not valid UTF-8.');
  });

  it.each([
    ['of 256 KiB is read', 256 * 1024, 'x is not a field of user_message'],
    ['of one byte more is not', 256 * 1024 + 1, 'a line may have at most 262144 bytes'],
    ['of 2 MiB is not', 2 * MEBIBYTE, 'a line may have at most 262144 bytes'],
  ])('one %s', async (_what, bytes, error) => {
    const [start, end] = [`${JSON.stringify(events[0]).slice(0, -1)},"x":"`, '"}'];
    const long = start + 'y'.repeat(bytes - start.length - end.length) + end;
    const answer = await send(NDJSON, `${lines([events[1]])}\n${long}\n${lines([events[2]])}`);
    expect(outcome(answer)).toEqual([200, 2, [1]]);
    expect(answer.body.rejected[0].error).toBe(error);
  });

  it('may be cut anywhere on their way, even inside of a character', async () => {
    const bytes = Buffer.from(`${lines(events)}\n`);
    const headers = {
      Authorization: `Bearer ${org.owner.key}`,
      'Content-Type': NDJSON,
      'Transfer-Encoding': 'chunked',
    };
    const connection = new RawConnection(app.url);
    connection.write(requestBytes({ method: 'POST', path: INGEST, headers }));
    for (let at = 0; at < bytes.length; at += 7) {
      const piece = bytes.subarray(at, at + 7);
      connection.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]));
      if (at % 70 === 0) await delay(1);
    }
    connection.write('0\r\n\r\n');
    expect(outcome(await connection.answer())).toEqual([200, 3, []]);
    connection.close();
    expect((await storedEvents(app, org.id)).map(({ name }) => name)).toContain('Größe 👩');
  });

  it('of which the connection breaks in the middle of a batch leave nothing', async () => {
    const headers = { Authorization: `Bearer ${org.owner.key}`, 'Content-Type': NDJSON, 'Content-Length': '100000' };
    const connection = new RawConnection(app.url);
    connection.write(requestBytes({ method: 'POST', path: INGEST, headers, body: `${lines(events)}\n` }));
    await delay(100);
    connection.close();
    await delay(100);
    expect(await storedCount()).toBe(0);
    expect(outcome(await send(NDJSON, lines(events)))).toEqual([200, 3, []]);
  });

  it('that stop coming end with a 408', async () => {
    const headers = { Authorization: `Bearer ${org.owner.key}`, 'Content-Type': NDJSON, 'Content-Length': '100000' };
    const connection = new RawConnection(app.url);
    connection.write(requestBytes({ method: 'POST', path: INGEST, headers, body: `${lines(events)}\n` }));
    expect((await connection.answer(8_000)).status).toBe(408);
    await connection.end();
  });

  it('that come slowly but steadily are taken, however long it takes', async () => {
    const body = Buffer.from(lines(events));
    const headers = {
      Authorization: `Bearer ${org.owner.key}`,
      'Content-Type': NDJSON,
      'Content-Length': `${body.length}`,
    };
    const connection = new RawConnection(app.url);
    connection.write(requestBytes({ method: 'POST', path: INGEST, headers }));
    for (let i = 0; i < 5; i++) {
      connection.write(body.subarray(i * 90, i === 4 ? undefined : (i + 1) * 90));
      await delay(1_000);
    }
    expect(outcome(await connection.answer())).toEqual([200, 3, []]);
    connection.close();
  });

  it('in a stream of 40 MiB are taken without keeping them in memory', async () => {
    const padding = ' '.repeat(9_000);
    let sent = 0;
    const batch = () => {
      const some = Array.from({ length: 50 }, () => anEvent());
      sent += some.length;
      return some.map((event) => JSON.stringify(event) + padding).join('\n') + '\n';
    };
    const { answer, peakBytes } = await stream(batch, 40 * MEBIBYTE);
    expect(outcome(answer)).toEqual([200, sent, []]);
    expect(peakBytes).toBeLessThan(25 * MEBIBYTE);
  });

  it('that are long and wrong are not kept in memory either', async () => {
    const line = `{"x":"${'y'.repeat(200_000)}"}\n`;
    const { answer, peakBytes } = await stream(() => line, 60 * MEBIBYTE);
    expect(answer).toMatchObject({
      status: 200,
      body: { accepted: 0, rejectedCount: Math.ceil((60 * MEBIBYTE) / line.length) },
    });
    expect(peakBytes).toBeLessThan(25 * MEBIBYTE);
  });

  it('may be a million, blank ones included', async () => {
    expect(outcome(await gzipped(NDJSON, `${'\n'.repeat(999_997)}${lines(events)}\n`))).toEqual([200, 3, []]);
  });

  it.each([
    ['as they are', send, 'close'], // what is left of the body is in the way
    ['zipped', gzipped, 'keep-alive'],
  ])('beyond a million are a 413 %s, blank ones included; those before are stored', async (_how, transport, after) => {
    const answer = await transport(NDJSON, `${'\n'.repeat(999_997)}${lines(events)}\n\n{}`.padEnd(8 * MEBIBYTE, '\n'));
    expect([answer.status, answer.headers.connection]).toEqual([413, after]);
    expect(await storedCount()).toBe(3);
  });

  it('report the first thousand that were rejected, and count all', async () => {
    const { body } = await send(NDJSON, '1\n'.repeat(6_001));
    expect([body.rejectedCount, body.rejected.length, body.rejected[999].index]).toEqual([6_001, 1_000, 999]);
  });

  /** Sends `next()` again and again until so much was sent; tells how far the memory of the process rose meanwhile. */
  async function stream(next: () => string, bytes: number): Promise<{ answer: ApiAnswer; peakBytes: number }> {
    const beforeBytes = bytesInUse();
    let peakBytes = 0;
    const watch = setInterval(() => (peakBytes = Math.max(peakBytes, bytesInUse() - beforeBytes)), 500);
    const call = request(app.url + INGEST, {
      method: 'POST',
      headers: { Authorization: `Bearer ${org.owner.key}`, 'Content-Type': NDJSON },
    });
    const answered = new Promise<ApiAnswer>((resolve, reject) => {
      call.once('error', reject).once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, body: JSON.parse(text), headers: {} }),
        );
      });
    });
    for (let sent = 0; sent < bytes;) {
      const text = next();
      sent += text.length;
      if (!call.write(text)) await new Promise((resolve) => call.once('drain', resolve));
    }
    call.end();
    const answer = await answered;
    clearInterval(watch);
    return { answer, peakBytes };
  }
});

/** Without what only waits to be collected. */
function bytesInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('a JSON request', () => {
  it('may be zipped', async () => {
    expect(outcome(await gzipped(JSON_TYPE, JSON.stringify({ events: [anEvent()] })))).toEqual([200, 1, []]);
  });

  it('has at most 5,000 events', async () => {
    const events = Array.from({ length: 5_001 }, () => anEvent());
    expect((await sendEvents(app, org.owner, events)).status).toBe(413);
    expect(await storedCount()).toBe(0);
    expect(outcome(await sendEvents(app, org.owner, events.slice(1)))).toEqual([200, 5_000, []]);
  });

  it.each([
    ['as it is', send],
    ['zipped', gzipped],
  ])('has at most 5 MiB %s', async (_how, transport) => {
    const body = JSON.stringify({ events: [anEvent()] });
    expect(outcome(await transport(JSON_TYPE, body.padEnd(5 * MEBIBYTE)))).toEqual([200, 1, []]);
    expect((await transport(JSON_TYPE, body.padEnd(5 * MEBIBYTE + 1))).status).toBe(413);
  });

  it('of 100 MiB in 100 KiB is refused without being unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * MEBIBYTE, ' '));
    const startedAt = performance.now();
    const { status } = await send(JSON_TYPE, bomb, { 'Content-Encoding': 'gzip' });
    expect([status, performance.now() - startedAt < 1_000]).toEqual([413, true]);
  });

  it('reports the first thousand events that were rejected, and counts all', async () => {
    for (const count of [1_000, 1_001]) {
      const { body } = await sendEvents(app, org.owner, [anEvent(), ...Array.from({ length: count }, () => 0)]);
      expect([body.accepted, body.rejectedCount, body.rejected.length]).toEqual([1, count, 1_000]);
    }
  });

  describe.each([
    ['numbers that are not exact', (count: number) => `[${'1e400,'.repeat(count)}1]`],
    ['brackets in brackets', (count: number) => '['.repeat(count) + ']'.repeat(count)],
    ['one key over and over', (count: number) => `{${'"a":1,'.repeat(count)}"a":1}`],
  ])('with %s in one event', (_what, hostile) => {
    it.each([
      ['judged event by event', 90_000, [200, 1, [1]]],
      ['refused as a whole beyond 100,000 values', 800_000, [400, undefined, undefined]],
    ])('is %s, in good time', async (_how, count, expected) => {
      const before = process.cpuUsage();
      const answer = await send(JSON_TYPE, `{"events":[${JSON.stringify(anEvent())},${hostile(count)}]}`);
      expect(outcome(answer)).toEqual(expected);
      expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
    });
  });
});

describe('a request is refused', () => {
  const body = JSON.stringify({ events: [] });
  it.each<[string, string, string | Uint8Array, Record<string, string>, number]>([
    ['as plain text', 'text/plain', body, {}, 415],
    ['as a kind of JSON', 'application/json5', body, {}, 415],
    ['as lines of another name', 'application/jsonl', body, {}, 415],
    ['in another character set', 'application/x-ndjson; charset=latin1', body, {}, 415],
    ['with brotli', JSON_TYPE, body, { 'Content-Encoding': 'br' }, 415],
    ['with lines in deflate', NDJSON, body, { 'Content-Encoding': 'deflate' }, 415],
    ['zipped twice', JSON_TYPE, gzipSync(gzipSync(body)), { 'Content-Encoding': 'gzip, gzip' }, 415],
    ['that only claims to be zipped', JSON_TYPE, body, { 'Content-Encoding': 'gzip' }, 400],
    ['with lines that only claim to be zipped', NDJSON, body, { 'Content-Encoding': 'gzip' }, 400],
    ['with half a zip', JSON_TYPE, gzipSync(body).subarray(0, 12), { 'Content-Encoding': 'gzip' }, 400],
    ['with lines in half a zip', NDJSON, gzipSync('1\n').subarray(0, 12), { 'Content-Encoding': 'gzip' }, 400],
    ['that is not UTF-8', JSON_TYPE, Buffer.from('{"events":["\xff"]}', 'latin1'), {}, 400],
    ['without a body', JSON_TYPE, '', {}, 400],
  ])('%s', async (_what, type, sent, headers, status) => {
    expect((await send(type, sent, headers)).status).toBe(status);
  });

  it('no sooner than a key for idempotency is looked at: event ids do that job', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    for (const event of [anEvent(), anEvent()]) {
      expect(outcome(await send(JSON_TYPE, JSON.stringify({ events: [event] }), key))).toEqual([200, 1, []]);
    }
    await eventually('both are stored', async () => (await storedCount()) === 2);
  });
});
