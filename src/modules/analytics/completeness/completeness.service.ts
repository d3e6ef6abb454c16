import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../../../common/access/principal.js';
import { SharedReads } from '../../../common/shared-reads.js';
import type { StreamedAnswer } from '../../../http/streams/streamed-answer.js';
import type { AnalyticsRange } from '../analytics-range.js';
import { type AnswerFormat, headersOf, write } from '../answer-format.js';
import { RangeStates } from '../range-states.js';
import { EXAMPLE, type StoredDay, toRows } from './completeness-rows.js';
import { CompletenessRepository, type FactDay } from './completeness.repository.js';

const pack = promisify<string, Buffer>(gzip);
/** Days without facts that one request counts from raw events, the newest ones; the others are unknown until they have facts. */
const MAX_COUNTED_DAYS = 31;
const MAX_KNOWN = 10_000;

/** What arrived, and how much of what agents claim to have sent that is. */
@Injectable()
export class CompletenessService {
  private readonly counted = new LRUCache<string, StoredDay>({ max: MAX_KNOWN });
  private readonly reads = new SharedReads<StoredDay>();

  constructor(
    private readonly days: CompletenessRepository,
    private readonly states: RangeStates,
  ) {}

  /** Computes missing days first. */
  async answer({ orgId }: Principal, range: AnalyticsRange, format: AnswerFormat): Promise<StreamedAnswer> {
    const { computedAt } = await this.states.find(orgId, range, { hasActives: false });
    const agents = range.isEmpty ? [] : await this.days.listAgentDays(orgId, range);
    const stored = range.isEmpty ? [] : await this.listStored(orgId, range);
    const rows = toRows(agents, stored).map((row) => JSON.stringify(row));
    const times = [computedAt, ...agents.map(({ changedAt }) => changedAt)].flatMap((at) => at?.getTime() ?? []);
    const lastModified = times.length === 0 ? null : new Date(times.reduce((a, b) => Math.max(a, b)));
    const parts = [orgId, `${range.start}`, `${range.end}`, lastModified, rows];
    const digest = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
    const meta = {
      org_id: orgId,
      start_date: range.start.toString(),
      end_date: range.end.toString(),
      data_as_of: lastModified?.toISOString() ?? null,
      revision: digest.slice(0, 16),
    };
    return {
      etag: `${digest.slice(0, 27)}${format.name}${format.isGzipped ? 'z' : ''}`,
      lastModified,
      headers: headersOf(format),
      isShortText: !format.isGzipped,
      body: () => render(rows, meta, format),
      ended: () => undefined,
    };
  }

  private async listStored(orgId: string, range: AnalyticsRange): Promise<StoredDay[]> {
    const days = await this.days.listFactDays(orgId, range);
    const uncounted = days.filter(({ hasFacts }) => !hasFacts).slice(-MAX_COUNTED_DAYS);
    const counted = new Map<string, StoredDay>();
    for (const day of uncounted) counted.set(day.date, await this.count(orgId, day));
    return days.map((day) => counted.get(day.date) ?? day);
  }

  private async count(orgId: string, { date, version }: FactDay): Promise<StoredDay> {
    const key = `${orgId} ${date} ${version}`;
    const known = this.counted.get(key) ?? (await this.reads.read(key, () => this.days.countEvents(orgId, date)));
    this.counted.set(key, known);
    return known;
  }
}

async function render(rows: string[], meta: object, format: AnswerFormat): Promise<AsyncIterable<Buffer | string>> {
  const pieces = rows.length === 0 ? [] : [{ rows, isSingle: true }];
  const text = write(each(pieces), format, { meta, example: EXAMPLE });
  if (!format.isGzipped) return text;
  let whole = '';
  for await (const part of text) whole += part;
  return each([await pack(whole)]);
}

// eslint-disable-next-line @typescript-eslint/require-await -- it only turns a list into a stream
async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
