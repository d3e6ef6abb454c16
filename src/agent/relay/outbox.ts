import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type AGENT_REQUESTS, turnKey, type TurnRef } from '../../protocol/relay-protocol.js';

/** A request that has to reach the service at least once. */
export interface OutboxEntry {
  readonly method: Exclude<keyof typeof AGENT_REQUESTS, 'hello' | 'turn.renew'>;
  readonly params: { readonly turn?: TurnRef; readonly [field: string]: unknown };
}

/** Resolves when the service has accepted or finally refused the entry; rejects when it should be retried. */
export type Deliver = (entry: OutboxEntry) => Promise<void>;

const NEWLINE = 0x0a;
const READ_BYTES = 64 * 1024;

/**
 * Requests to the service, in order, in a file that survives lost connections and this process. While delivering, one
 * entry is in memory at a time. Entries may be delivered twice.
 */
export class Outbox {
  private head = 0;
  private tail: number;
  private readonly fd: number;
  private readonly turns = new Map<string, { turn: TurnRef; entries: number }>();
  private deliver: Deliver | null = null;
  private isDelivering = false;
  private onEmpty: (() => void)[] = [];

  private constructor(
    private readonly file: string,
    leftBehind: OutboxEntry[],
  ) {
    // In a container the process id is often the same: the old file is replaced when its entries are in the new one.
    const replacement = `${file}.new`;
    rmSync(replacement, { force: true });
    this.fd = openSync(replacement, 'a+', 0o600);
    this.tail = 0;
    for (const entry of leftBehind) this.append(entry);
    for (const turn of unfinished(leftBehind)) this.append({ method: 'turn.abandon', params: { turn } });
    renameSync(replacement, file);
  }

  /** Also takes over the entries of clients that are not alive any more. */
  static open(directory: string): Outbox {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const own = `${process.pid}.jsonl`;
    const names = readdirSync(directory).filter(
      (name) => /^\d+\.jsonl$/.test(name) && (name === own || !isAlive(name)),
    );
    const leftBehind = names.flatMap((name) => readEntries(join(directory, name)));
    const outbox = new Outbox(join(directory, own), leftBehind);
    for (const name of names) if (name !== own) rmSync(join(directory, name), { force: true });
    return outbox;
  }

  get isEmpty(): boolean {
    return this.head === this.tail;
  }

  /** Turns with entries that are not delivered yet. */
  get openTurns(): TurnRef[] {
    return [...this.turns.values()].map(({ turn }) => turn);
  }

  append(entry: OutboxEntry): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    writeSync(this.fd, line);
    this.tail += line.length;
    this.count(entry, 1);
    void this.run();
  }

  /** null stops delivery. */
  attach(deliver: Deliver | null): void {
    this.deliver = deliver;
    void this.run();
  }

  async emptied(): Promise<void> {
    if (!this.isEmpty) await new Promise<void>((resolve) => this.onEmpty.push(resolve));
  }

  /** Undelivered entries stay in the file for the next client. */
  close(): void {
    this.deliver = null;
    closeSync(this.fd);
    if (this.isEmpty) rmSync(this.file, { force: true });
  }

  private async run(): Promise<void> {
    if (this.isDelivering) return;
    this.isDelivering = true;
    while (this.deliver && !this.isEmpty) {
      const { deliver } = this;
      const isDelivered = await this.deliverNext(deliver).then(
        () => true,
        () => false,
      );
      // The next `attach` starts again.
      if (!isDelivered && this.deliver === deliver) break;
    }
    this.isDelivering = false;
    if (this.isEmpty) this.onEmpty.splice(0).forEach((resolve) => resolve());
  }

  private async deliverNext(deliver: Deliver): Promise<void> {
    const { entry, end } = this.readAt(this.head);
    await deliver(entry);
    if (this.deliver === null) return; // closed meanwhile; the entry may be delivered again
    this.head = end;
    this.count(entry, -1);
    if (!this.isEmpty) return;
    ftruncateSync(this.fd, 0);
    this.head = this.tail = 0;
  }

  private readAt(start: number): { entry: OutboxEntry; end: number } {
    const pieces: Buffer[] = [];
    for (let position = start; ;) {
      const piece = Buffer.alloc(READ_BYTES);
      const length = readSync(this.fd, piece, 0, READ_BYTES, position);
      const newline = piece.subarray(0, length).indexOf(NEWLINE);
      pieces.push(piece.subarray(0, newline < 0 ? length : newline));
      position += newline < 0 ? length : newline + 1;
      if (newline >= 0) return { entry: JSON.parse(Buffer.concat(pieces).toString()) as OutboxEntry, end: position };
      if (length === 0) throw new Error(`${this.file} ends in the middle of an entry.`);
    }
  }

  private count({ params: { turn } }: OutboxEntry, change: 1 | -1): void {
    if (!turn) return;
    const key = turnKey(turn);
    const entries = (this.turns.get(key)?.entries ?? 0) + change;
    if (entries === 0) this.turns.delete(key);
    else this.turns.set(key, { turn, entries });
  }
}

/** A client that died while writing has left an incomplete last line. */
function readEntries(file: string): OutboxEntry[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      try {
        const entry = JSON.parse(line) as Partial<OutboxEntry> | null;
        return entry?.method && entry.params ? [entry as OutboxEntry] : [];
      } catch {
        return [];
      }
    });
}

/** Turns that a dead client has started to report on and cannot end. */
function unfinished(entries: OutboxEntry[]): TurnRef[] {
  const open = new Map<string, TurnRef>();
  for (const { method, params } of entries) {
    if (!params.turn) continue;
    if (method === 'turn.end' || method === 'turn.abandon') open.delete(turnKey(params.turn));
    else open.set(turnKey(params.turn), params.turn);
  }
  return [...open.values()];
}

function isAlive(name: string): boolean {
  try {
    process.kill(Number.parseInt(name, 10), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
