import { promisify } from 'node:util';
import { constants, inflateRaw } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { UtcDay } from '../../common/time/utc-day.js';
import type { AnalyticsRange } from './analytics-range.js';
import { AnalyticsRepository, type DayVersion, type StoredDocument } from './analytics.repository.js';
import { type AnswerFormat, JSON_OPENING, jsonClosing, type Piece } from './answer-format.js';
import type { Report } from './reports.js';
import { type Fragment, splice, toSmallFragment } from './spliced-gzip.js';

/** Per read, but at least one day. */
const WINDOW_BYTES = 512 * 1024;
/** Per write, but at least one day: compressed documents may be ten times as large. */
const PIECE_CHARACTERS = 256 * 1024;

const inflate = promisify<Buffer, { finishFlush: number }, Buffer>(inflateRaw);

/** Reads documents in short transactions, only as far ahead as the client reads. */
@Injectable()
export class DocumentStream {
  constructor(private readonly days: AnalyticsRepository) {}

  /** Zero rows for days without events. */
  async *pieces(orgId: string, report: Report, range: AnalyticsRange, versions: DayVersion[]): AsyncGenerator<Piece> {
    const isSingle = report.zero !== null;
    for await (const window of this.windows(orgId, report, range, versions)) {
      let rows: string[] = [];
      let characters = 0;
      for (const { day, document } of window) {
        const row = document ? (document.body ?? (await unpack(document))) : JSON.stringify(report.zero?.(day));
        if (!document && !isSingle) continue;
        rows.push(row);
        characters += row.length;
        if (characters < PIECE_CHARACTERS) continue;
        yield { rows, isSingle };
        [rows, characters] = [[], 0];
      }
      if (rows.length > 0) yield { rows, isSingle };
    }
  }

  /** One gzip file made of the stored fragments. */
  splice(
    orgId: string,
    report: Report,
    range: AnalyticsRange,
    versions: DayVersion[],
    { name }: AnswerFormat,
    meta: object,
  ): AsyncGenerator<Buffer> {
    const frame =
      name === 'json'
        ? { opening: JSON_OPENING, between: ',', closing: jsonClosing(meta) }
        : { opening: '', between: '\n', closing: '\n' };
    return splice(this.fragments(orgId, report, range, versions, frame));
  }

  private async *fragments(
    orgId: string,
    report: Report,
    range: AnalyticsRange,
    versions: DayVersion[],
    frame: { opening: string; between: string; closing: string },
  ): AsyncGenerator<Fragment> {
    const between = toSmallFragment(frame.between);
    let isFirst = true;
    yield toSmallFragment(frame.opening);
    for await (const window of this.windows(orgId, report, range, versions)) {
      for (const { day, document } of window) {
        if (!isFirst) yield between;
        isFirst = false;
        yield document?.bytes ? document : toSmallFragment(JSON.stringify(report.zero?.(day)));
      }
    }
    yield toSmallFragment(isFirst && frame.opening === '' ? '' : frame.closing);
  }

  private async *windows(
    orgId: string,
    report: Report,
    range: AnalyticsRange,
    versions: DayVersion[],
  ): AsyncGenerator<{ day: UtcDay; document: StoredDocument | undefined }[]> {
    const stored = new Map(versions.filter(({ storedBytes }) => storedBytes !== null).map((row) => [row.day, row]));
    const days = [...range.days()];
    for (let from = 0; from < days.length;) {
      const until = endOfWindow(days, from, stored);
      const wanted = days.slice(from, until).flatMap((day) => stored.get(day.toString()) ?? []);
      const documents = new Map<string, StoredDocument>();
      if (wanted.length > 0) {
        for (const row of await this.days.listDocuments(orgId, report.kind, wanted)) documents.set(row.day, row);
      }
      if (documents.size < wanted.length) throw new Error('The reader was so slow that a day was replaced meanwhile');
      yield days.slice(from, until).map((day) => ({ day, document: documents.get(day.toString()) }));
      from = until;
    }
  }
}

async function unpack({ bytes }: Fragment): Promise<string> {
  const plain = await inflate(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  return plain.toString();
}

function endOfWindow(days: UtcDay[], from: number, stored: Map<string, DayVersion>): number {
  let until = from;
  for (let bytes = 0; until < days.length; until++) {
    bytes += stored.get(days[until]?.toString() ?? '')?.storedBytes ?? 0;
    if (bytes > WINDOW_BYTES && until > from) break;
  }
  return until;
}
