import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { yieldFairly } from '../../common/yield-fairly.js';
import { DomainError, InvalidRequestError } from '../../common/errors/domain-error.js';
import { isZipped, mediaTypeOf, readBytes, tooSlow } from '../../common/validation/body-reader.js';
import { parseStrictJson, readStrictJsonList } from '../../common/validation/strict-json.js';
import { isObject } from '../../common/validation/predicates.js';

export const MAX_EVENTS_PER_REQUEST = 5_000;
export const MAX_REQUEST_BYTES = 5 * 1024 * 1024;
export const MAX_LINES = 1_000_000;
const MAX_LINE_BYTES = 256 * 1024;
/** Twenty times what the largest valid event needs. */
const MAX_VALUES_PER_LINE = 500;
const LINES_AT_A_STRETCH = 500;
const NEWLINE = 0x0a;

/** What only the service itself says about an event; a sender cannot. */
export interface OwnFields {
  /** What the agent says the call cost, in pico-dollars. */
  readonly reportedCost?: number | null;
  /** Whether it stands for several model calls, whose sizes are not known. */
  readonly isSum?: boolean;
}

/** A sent event, or why it is no JSON; `index` counts from 0 in the whole request. */
export type SentEvent = ({ index: number; value: unknown } & OwnFields) | { index: number; error: string };

/**
 * The events of a request in batches, each read when the one before is processed. A list has to arrive within `timeoutMs`;
 * for lines that is the longest pause.
 */
export function readEvents(message: IncomingMessage, timeoutMs: number): AsyncGenerator<SentEvent[]> {
  switch (mediaTypeOf(message)) {
    case 'application/json':
      return readList(message, timeoutMs);
    case 'application/x-ndjson':
      return readLines(message, timeoutMs);
    default:
      throw new DomainError('unsupported_media_type', 'Send application/json or application/x-ndjson in UTF-8.');
  }
}

async function* readList(message: IncomingMessage, timeoutMs: number): AsyncGenerator<SentEvent[]> {
  const bytes = await readBytes(message, { limitBytes: MAX_REQUEST_BYTES, timeoutMs });
  if (bytes.length === 0) throw new InvalidRequestError('A JSON body is required.');
  const { value: body, flaws } = await readStrictJsonList(bytes, {
    maxItems: MAX_EVENTS_PER_REQUEST,
    tooMany: `At most ${MAX_EVENTS_PER_REQUEST} events in one request; send more as application/x-ndjson.`,
  });
  if (!isObject(body) || !Array.isArray(body.events)) {
    throw InvalidRequestError.ofField('events', 'must be a list of events');
  }
  const stranger = Object.keys(body).find((field) => field !== 'events');
  if (stranger !== undefined) throw InvalidRequestError.ofField(stranger.slice(0, 100), 'is not a known field');
  yield body.events.map((value: unknown, index) => {
    const error = flaws.get(index);
    return error === undefined ? { index, value } : { index, error };
  });
}

/** A batch ends at a number of events or of bytes, whichever comes first: it is held in memory. */
async function* readLines(message: IncomingMessage, idleMs: number): AsyncGenerator<SentEvent[]> {
  let batch: SentEvent[] = [];
  let bytes = 0;
  let index = 0;
  let lineCount = 0;
  for await (const lines of linesOf(piecesOf(message, idleMs))) {
    for (const line of lines) {
      if (++lineCount > MAX_LINES) {
        yield batch;
        throw tooManyLines();
      }
      if (lineCount % LINES_AT_A_STRETCH === 0) await yieldFairly();
      if (line !== null && isBlank(line)) continue;
      batch.push(readLine(line, index++));
      bytes += line?.length ?? 0;
      if (batch.length === MAX_EVENTS_PER_REQUEST || bytes >= MAX_REQUEST_BYTES) {
        yield batch;
        batch = [];
        bytes = 0;
      }
    }
  }
  if (batch.length > 0) yield batch;
}

function readLine(line: Buffer | null, index: number): SentEvent {
  if (line === null) return { index, error: `a line may have at most ${MAX_LINE_BYTES} bytes` };
  try {
    return { index, value: parseStrictJson(line, 'The line', MAX_VALUES_PER_LINE) };
  } catch (error) {
    if (error instanceof InvalidRequestError) return { index, error: error.detail };
    throw error;
  }
}

/** The lines that each chunk completes; null for one that is too long. */
async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<(Buffer | null)[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  const keep = (part: Buffer) => {
    restBytes += part.length;
    if (restBytes <= MAX_LINE_BYTES) rest.push(part);
    else rest = []; // too long: skipped up to its end
  };
  const takeLine = (): Buffer | null => {
    const line = restBytes > MAX_LINE_BYTES ? null : Buffer.concat(rest);
    rest = [];
    restBytes = 0;
    return line;
  };
  for await (const piece of pieces) {
    const lines: (Buffer | null)[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      keep(piece.subarray(start, end));
      lines.push(takeLine());
      start = end + 1;
    }
    keep(piece.subarray(start));
    yield lines;
  }
  if (restBytes > 0) yield [takeLine()];
}

/** The body in chunks. Leaving early must not destroy the stream: that would close the connection before the response. */
async function* piecesOf(message: IncomingMessage, idleMs: number): AsyncGenerator<Buffer> {
  const source = unzipped(message);
  const pieces = source[Symbol.asyncIterator](); // `for await` would destroy it
  try {
    for (;;) {
      const next = await unlessIdle(pieces.next(), idleMs);
      if (next.done) return;
      yield next.value as Buffer;
    }
  } finally {
    if (source !== message) source.destroy();
  }
}

async function unlessIdle<T>(next: Promise<T>, idleMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), idleMs);
  });
  const arrived = next.catch(() => {
    throw new InvalidRequestError('The body was cut off or is not valid gzip.');
  });
  return Promise.race([arrived, idle]).finally(() => clearTimeout(timer));
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}

function unzipped(message: IncomingMessage): Readable {
  if (!isZipped(message)) return message;
  const unzipping = createGunzip();
  message.once('error', (error) => unzipping.destroy(error));
  message.once('close', () => message.complete || unzipping.destroy(new Error('cut off')));
  return message.pipe(unzipping);
}

function tooManyLines(): DomainError {
  return new DomainError(
    'payload_too_large',
    `At most ${MAX_LINES} lines in one request; those were stored, the rest was not read.`,
  );
}
