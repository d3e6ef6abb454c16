import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { setImmediate as nextTick } from 'node:timers/promises';
import { Outbox, type OutboxEntry } from '../../../src/agent/relay/outbox.js';
import type { TurnRef } from '../../../src/protocol/relay-protocol.js';
import { itLong } from '../../support/long.js';

let directory: string;
let opened: Outbox[];

beforeEach(() => {
  directory = join(fs.mkdtempSync(join(tmpdir(), 'outbox-')), 'outbox');
  opened = [];
});
afterEach(() => {
  for (const outbox of opened) outbox.close();
  fs.rmSync(join(directory, '..'), { recursive: true, force: true });
});

function open(): Outbox {
  const outbox = Outbox.open(directory);
  opened.push(outbox);
  return outbox;
}

const turn = (attempt = 1): TurnRef => ({ sessionId: randomUUID(), messageId: randomUUID(), attempt });
const usage = (n: number): OutboxEntry => ({ method: 'usage.report', params: { n } });
const put = (ref: TurnRef, n = 0): OutboxEntry => ({ method: 'message.put', params: { turn: ref, n } });
const end = (ref: TurnRef): OutboxEntry => ({ method: 'turn.end', params: { turn: ref } });

/** Takes everything, and keeps it. */
function taker() {
  const taken: OutboxEntry[] = [];
  return {
    taken,
    deliver: async (entry: OutboxEntry) => {
      await nextTick();
      taken.push(entry);
    },
  };
}

/** A delivery that is decided on by the test. */
function undecided() {
  const taken: OutboxEntry[] = [];
  const nothing = (): void => undefined;
  let settle = { resolve: nothing, reject: nothing };
  const deliver = (entry: OutboxEntry) =>
    new Promise<void>((resolve, reject) => {
      taken.push(entry);
      settle = { resolve, reject: () => reject(new Error('cut')) };
    });
  return { taken, deliver, resolve: () => settle.resolve(), reject: () => settle.reject() };
}

const fileOf = (pid: number) => join(directory, `${pid}.jsonl`);
const lines = (...entries: OutboxEntry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** What a client has left that is not alive any more. */
function leftBehind(text: string): string {
  fs.mkdirSync(directory, { recursive: true });
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  fs.writeFileSync(fileOf(pid), text);
  return fileOf(pid);
}

async function deliveredBy(outbox: Outbox): Promise<OutboxEntry[]> {
  const { taken, deliver } = taker();
  outbox.attach(deliver);
  await outbox.emptied();
  return taken;
}

describe('entries', () => {
  it('are delivered in order, those from before the connection first', async () => {
    const outbox = open();
    const { taken, deliver } = taker();
    outbox.append(usage(1));
    outbox.append(usage(2));
    outbox.attach(deliver);
    outbox.append(usage(3));
    await outbox.emptied();
    expect(taken).toEqual([usage(1), usage(2), usage(3)]);
    expect([outbox.isEmpty, fs.statSync(fileOf(process.pid)).size]).toEqual([true, 0]);
  });

  it('of any size and in any script arrive as they were', async () => {
    const outbox = open();
    const entries = [1, 64 * 1024 - 40, 64 * 1024, 300_000].map((length): OutboxEntry => ({
      method: 'usage.report',
      params: { text: 'ü\n𝄞'.repeat(length / 3) },
    }));
    for (const entry of entries) outbox.append(entry);
    expect(await deliveredBy(outbox)).toEqual(entries);
  });

  it('are delivered one at a time', async () => {
    const outbox = open();
    const { taken, deliver, resolve } = undecided();
    for (const n of [1, 2, 3]) outbox.append(usage(n));
    outbox.attach(deliver);
    await nextTick();
    expect(taken).toEqual([usage(1)]);
    resolve();
    await nextTick();
    expect(taken).toEqual([usage(1), usage(2)]);
  });

  itLong('that wait are not in memory', async () => {
    const outbox = open();
    const megabyte = 'x'.repeat(1024 * 1024);
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 300; n++) outbox.append({ method: 'usage.report', params: { n, megabyte } });
    let count = 0;
    outbox.attach(async () => {
      await nextTick();
      count += 1;
    });
    await outbox.emptied();
    expect(count).toBe(300);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it('are for this user only', () => {
    open();
    expect([directory, fileOf(process.pid)].map((path) => fs.statSync(path).mode & 0o077)).toEqual([0, 0]);
  });
});

describe('a delivery', () => {
  it('that fails is tried again on the next connection', async () => {
    const outbox = open();
    outbox.append(usage(1));
    outbox.append(usage(2));
    const first = undecided();
    outbox.attach(first.deliver);
    first.reject();
    await nextTick();
    outbox.attach(null);
    expect(first.taken).toEqual([usage(1)]);
    expect(await deliveredBy(outbox)).toEqual([usage(1), usage(2)]);
  });

  it.each(['resolve', 'reject'] as const)('during which the connection changes loses nothing (%s)', async (outcome) => {
    const outbox = open();
    const first = undecided();
    const second = taker();
    outbox.append(usage(1));
    outbox.append(usage(2));
    outbox.attach(first.deliver);
    outbox.attach(null);
    outbox.attach(second.deliver);
    first[outcome]();
    await outbox.emptied();
    const all = [...(outcome === 'resolve' ? first.taken : []), ...second.taken];
    expect(all).toEqual([usage(1), usage(2)]);
  });

  it('that ends while there is no connection is made again', async () => {
    const outbox = open();
    const first = undecided();
    outbox.append(usage(1));
    outbox.attach(first.deliver);
    outbox.attach(null);
    first.resolve();
    await nextTick();
    expect(await deliveredBy(outbox)).toEqual([usage(1)]);
  });
});

describe('turns about which something is to be said', () => {
  it('are open until all of it was said', async () => {
    const outbox = open();
    const [one, two] = [turn(), turn(2)];
    for (const entry of [put(one), end(one), put(two), usage(1)]) outbox.append(entry);
    expect(outbox.openTurns).toEqual([one, two]);
    const seen: number[] = [];
    outbox.attach(() => Promise.resolve(void seen.push(outbox.openTurns.length)));
    await outbox.emptied();
    expect([seen, outbox.openTurns]).toEqual([[2, 2, 1, 0], []]);
  });
});

describe('opening', () => {
  it('again has what was not delivered', async () => {
    const [first, ref] = [Outbox.open(directory), turn()];
    first.append(put(ref));
    first.append(end(ref));
    first.close();
    const second = open();
    expect(second.openTurns).toEqual([ref]);
    expect(await deliveredBy(second)).toEqual([put(ref), end(ref)]);
  });

  it('loses nothing when it cannot be completed', () => {
    open().append(usage(1));
    const file = join(directory, `${process.pid}.jsonl`);
    const before = fs.readFileSync(file, 'utf8');
    fs.mkdirSync(`${file}.new`); // where the entries would be collected
    expect(() => Outbox.open(directory)).toThrow();
    expect(fs.readFileSync(file, 'utf8')).toBe(before);
  });

  it('leaves nothing behind when there was nothing left to be said', () => {
    Outbox.open(directory).close();
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it('takes over from a client that is not alive', async () => {
    const ref = turn();
    const file = leftBehind(lines(put(ref), end(ref)));
    const outbox = open();
    expect(fs.existsSync(file)).toBe(false);
    expect(await deliveredBy(outbox)).toEqual([put(ref), end(ref)]);
  });

  it('gives back a turn that nobody can end any more', async () => {
    const [done, begun] = [turn(), turn()];
    leftBehind(lines(put(done), put(begun), end(done), usage(1)));
    const abandoned = { method: 'turn.abandon', params: { turn: begun } };
    expect((await deliveredBy(open())).at(-1)).toEqual(abandoned);
  });

  it('leaves out an entry that was not written to its end', async () => {
    leftBehind(lines(usage(1), usage(2)).slice(0, -5));
    expect(await deliveredBy(open())).toEqual([usage(1)]);
  });

  it('leaves out what is no entry', async () => {
    leftBehind(`\0\0\0\n{"method":\n${lines(usage(1))}null\n7\n"text"\n{}\n`);
    expect(await deliveredBy(open())).toEqual([usage(1)]);
  });

  it('leaves alone what belongs to a client that is alive', async () => {
    fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(fileOf(process.ppid), lines(usage(1)));
    fs.writeFileSync(join(directory, 'notes.txt'), 'mine');
    expect(await deliveredBy(open())).toEqual([]);
    expect(fs.readFileSync(fileOf(process.ppid), 'utf8')).toBe(lines(usage(1)));
  });
});
