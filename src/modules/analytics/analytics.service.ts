import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import type { StreamedAnswer } from '../../http/streams/streamed-answer.js';
import { AnalyticsAnswers, packed } from './analytics-answers.js';
import type { AnalyticsRange } from './analytics-range.js';
import { AnalyticsRepository, type DayVersion, type RangeState } from './analytics.repository.js';
import { type AnswerFormat, type Piece, write } from './answer-format.js';
import { DocumentStream } from './document-stream.js';
import { RangeStates } from './range-states.js';
import { type DocumentReport, REPORTS } from './reports.js';
import { activityByClient, activityOf } from './activity-rows.js';
import { zeroActivity, zeroActivityGroup, zeroUser } from './zero-rows.js';

/** Per read, but at least those of one user. */
const USER_ROWS_AT_ONCE = 1_500;

interface AnswerRequest {
  readonly range: AnalyticsRange;
  readonly format: AnswerFormat;
}

/** Responses are assembled from stored days while they are sent. */
@Injectable()
export class AnalyticsService {
  constructor(
    private readonly days: AnalyticsRepository,
    private readonly states: RangeStates,
    private readonly documents: DocumentStream,
    private readonly answers: AnalyticsAnswers,
  ) {}

  async report({ orgId }: Principal, name: DocumentReport, request: AnswerRequest): Promise<StreamedAnswer> {
    const { range, format } = request;
    const report = REPORTS[format.name === 'csv' && name === 'tokens' ? 'tokenTotals' : name];
    const state = await this.states.find(orgId, range, { hasActives: false });
    const meta = metaOf(orgId, range);
    return this.answer(state.versions, name, orgId, request, state, async () => {
      const versions = await this.days.listVersions(orgId, range, report.kind);
      if (report.isCompressed && format.isGzipped)
        return this.documents.splice(orgId, report, range, versions, format, meta);
      const pieces = this.documents.pieces(orgId, report, range, versions);
      return packed(write(pieces, format, { meta, example: report.example }), format);
    });
  }

  async activity({ orgId }: Principal, isGrouped: boolean, request: AnswerRequest): Promise<StreamedAnswer> {
    const { range, format } = request;
    const state = await this.states.find(orgId, range, { hasActives: !isGrouped });
    const name = isGrouped ? 'activityByClient' : 'activity';
    const answer = this.answer(state.activityVersions, name, orgId, request, state, async () => {
      const piece = isGrouped
        ? activityByClient(range.isEmpty ? [] : await this.days.listClientUsers(orgId, range))
        : activityOf(range, range.isEmpty ? null : await this.days.findActivity(orgId, range));
      const example = isGrouped ? zeroActivityGroup : zeroActivity(range.start);
      return packed(write(Readable.from([piece]), format, { meta: metaOf(orgId, range), example }), format);
    });
    return { ...answer, isShortText: !format.isGzipped };
  }

  async users(
    { orgId }: Principal,
    request: AnswerRequest,
    page: { limit: number; after: string | null },
  ): Promise<StreamedAnswer> {
    const { range, format } = request;
    const state = await this.states.find(orgId, range, { hasActives: false });
    const name = `users ${page.limit} ${page.after ?? ''}`;
    return this.answer(state.versions, name, orgId, request, state, async () => {
      const found = range.isEmpty ? [] : await this.days.listActiveUsers(orgId, range, page.after, page.limit + 1);
      const userIds = found.slice(0, page.limit);
      const hasMore = found.length > page.limit;
      const meta = { ...metaOf(orgId, range), has_more: hasMore, ...(hasMore ? { next_cursor: userIds.at(-1) } : {}) };
      const versions = await this.days.listVersions(orgId, range, null);
      const pieces = this.userPieces(
        orgId,
        userIds,
        versions.filter(({ version }) => version !== null),
      );
      return packed(write(pieces, format, { meta, example: zeroUser }), format);
    });
  }

  private async *userPieces(orgId: string, userIds: string[], days: DayVersion[]): AsyncGenerator<Piece> {
    const atOnce = Math.max(1, Math.floor(USER_ROWS_AT_ONCE / Math.max(1, days.length)));
    for (let from = 0; from < userIds.length; from += atOnce) {
      const users = await this.days.listUserRows(orgId, userIds.slice(from, from + atOnce), days);
      yield { rows: users, isSingle: false };
    }
  }

  private answer(
    versions: string,
    name: string,
    orgId: string,
    { range, format }: AnswerRequest,
    state: RangeState,
    body: StreamedAnswer['body'],
  ): StreamedAnswer {
    const identity = [name, `${range.start}`, `${range.end}`, versions];
    return this.answers.of({ orgId, identity, format, lastModified: state.computedAt, isShortText: false }, body);
  }
}

function metaOf(orgId: string, { start, end }: AnalyticsRange): object {
  return { org_id: orgId, start_date: start.toString(), end_date: end.toString() };
}
