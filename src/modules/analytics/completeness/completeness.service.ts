import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../../../common/access/principal.js';
import { SharedReads } from '../../../common/shared-reads.js';
import type { StreamedAnswer } from '../../../http/streams/streamed-answer.js';
import { AnalyticsAnswers, packed } from '../analytics-answers.js';
import type { AnalyticsRange } from '../analytics-range.js';
import { type AnswerFormat, write } from '../answer-format.js';
import { RangeStates } from '../range-states.js';
import { EXAMPLE, type StoredDay, toRows } from './completeness-rows.js';
import { CompletenessRepository, type FactDay } from './completeness.repository.js';

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
    private readonly answers: AnalyticsAnswers,
  ) {}

  /** Computes missing days first. */
  async answer({ orgId }: Principal, range: AnalyticsRange, format: AnswerFormat): Promise<StreamedAnswer> {
    const { computedAt } = await this.states.find(orgId, range, { hasActives: false });
    const agents = range.isEmpty ? [] : await this.days.listAgentDays(orgId, range);
    const stored = range.isEmpty ? [] : await this.listStored(orgId, range);
    const rows = toRows(agents, stored).map((row) => JSON.stringify(row));
    const times = [computedAt, ...agents.map(({ changedAt }) => changedAt)].flatMap((at) => at?.getTime() ?? []);
    const lastModified = times.length === 0 ? null : new Date(times.reduce((a, b) => Math.max(a, b)));
    const days = { start_date: range.start.toString(), end_date: range.end.toString() };
    const state = JSON.stringify([orgId, days, lastModified, rows]);
    const revision = createHash('sha256').update(state).digest('base64url').slice(0, 16);
    const meta = { org_id: orgId, ...days, data_as_of: lastModified?.toISOString() ?? null, revision };
    const answer = { orgId, identity: ['completeness', meta], format, lastModified, isShortText: !format.isGzipped };
    const pieces = rows.length === 0 ? [] : [{ rows, isSingle: true }];
    return this.answers.of(answer, () =>
      Promise.resolve(packed(write(each(pieces), format, { meta, example: EXAMPLE }), format)),
    );
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

// eslint-disable-next-line @typescript-eslint/require-await -- it only turns a list into a stream
async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
