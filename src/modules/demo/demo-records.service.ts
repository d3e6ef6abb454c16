import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../common/time/durations.js';
import type { Principal } from '../../common/access/principal.js';
import { OrgDatabase } from '../../database/org-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { ComputersService } from '../computers/computers.service.js';
import type { SentEvent } from '../ingest/event-source.js';
import { IngestService } from '../ingest/ingest.service.js';
import { UsageRecorder } from '../ingest/usage-recorder.js';
import { MessagesService, type PastMessage } from '../messages/messages.service.js';
import { PricesService } from '../organization/prices/prices.service.js';
import { ReadinessService } from '../readiness/readiness.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { isWeekend } from './demo-calendar.js';
import { type Conversation, CONVERSATIONS } from './demo-conversations.js';
import { type DemoDays, type Progress, recentAndOlder } from './demo-days.js';
import { Ids, Random } from './demo-random.js';
import { reportsOf, REPOSITORIES } from './demo-reports.js';
import { reportsCacheWrites } from './demo-vocabulary.js';

export const DEMO_COMPUTER = 'demo-workstation';

const MINUTE_MS = 60_000;
/** A discount was agreed so many days ago. */
const DISCOUNT = { days: 60, provider: 'anthropic', factor: '0.9' };

interface PastSession {
  readonly sessionId: string;
  readonly conversation: Conversation;
  readonly messages: PastMessage[];
}

/** Adds what is missing; existing records stay as they are. */
@Injectable()
export class DemoRecordsService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly computers: ComputersService,
    private readonly sessions: SessionsService,
    private readonly messages: MessagesService,
    private readonly ingest: IngestService,
    private readonly usage: UsageRecorder,
    private readonly readiness: ReadinessService,
    private readonly prices: PricesService,
  ) {}

  /** Unless there are some: they may have been changed by hand. */
  async addPrices(caller: Principal, { from, today }: DemoDays): Promise<void> {
    if ((await this.prices.get(caller)).own !== null) return;
    const { days, provider, factor } = DISCOUNT;
    const agreed = today.plus(-days);
    const since = (agreed.isBefore(from) ? from : agreed).toString();
    await this.prices.replace(caller, [{ provider, factor, since }], null);
  }

  /** On a computer of the caller; returns the number added. */
  async addSessions(caller: Principal, days: DemoDays, progress: Progress): Promise<number> {
    const known = (await this.computers.list(caller)).find(({ name }) => name.toLowerCase() === DEMO_COMPUTER);
    if (known && (await this.hasSessions(caller, known.id))) return 0;
    const { from, to } = recentAndOlder(days).recent; // all of them are that new
    await this.usage.prepare(from, to);
    const added = await this.db.transaction(caller.orgId, async (tx) => {
      const input = { name: DEMO_COMPUTER, hostname: `${DEMO_COMPUTER}.demo.example`, remoteUser: 'demo' };
      const computer = known ?? (await this.computers.register(tx, caller, input));
      const sessions: PastSession[] = [];
      for (const [i, conversation] of CONVERSATIONS.entries()) {
        sessions.push(await this.addSession(tx, caller, computer.id, conversation, startOf(i, days)));
        progress(i + 1, CONVERSATIONS.length);
      }
      return sessions;
    });
    await this.ingest.ingest(caller, Readable.from([modelCallsOf(added)]));
    return added.length;
  }

  /** One a month for each repository without reports; returns the number added. */
  async addReports(caller: Principal, { from, today }: DemoDays, progress: Progress): Promise<number> {
    let added = 0;
    for (const [i, repository] of REPOSITORIES.entries()) {
      const [known] = await this.readiness.list(caller, { repoId: repository.url, limit: 1 });
      const reports = known ? [] : reportsOf(repository, from, today);
      await this.db.transaction(caller.orgId, async (tx) => {
        for (const { at, report } of reports) await this.readiness.create(tx, caller, report, at);
      });
      added += reports.length;
      progress(i + 1, REPOSITORIES.length);
    }
    return added;
  }

  private async hasSessions(caller: Principal, computerId: string): Promise<boolean> {
    const { items } = await this.sessions.list(caller, { limit: 1, after: null, scope: '' }, { computerId });
    return items.length > 0;
  }

  private async addSession(
    tx: SqlTransaction,
    caller: Principal,
    computerId: string,
    conversation: Conversation,
    start: Date,
  ): Promise<PastSession> {
    const { model, autonomyMode, said } = conversation;
    const session = await this.sessions.create(
      tx,
      caller,
      { computerId, sessionSettings: { model, autonomyMode } },
      start,
    );
    const random = new Random('conversation', said[0] ?? '');
    let atMs = start.getTime();
    const messages = said.map((text, i): PastMessage => {
      const role = i % 2 === 0 ? 'user' : 'assistant';
      atMs += random.around(role === 'user' ? 1 : 4) * MINUTE_MS;
      return { role, text, at: new Date(Math.round(atMs)) };
    });
    await this.messages.importPast(tx, caller, session.id, messages);
    return { sessionId: session.id, conversation, messages };
  }
}

/** One every day or two before today, in office hours. */
function startOf(place: number, { from, today }: DemoDays): Date {
  const days = from.daysUntil(today);
  if (days === 0) return today.startsAt();
  let day = today.plus(-1 - (Math.floor(place * 1.7) % days));
  while (isWeekend(day) && from.isBefore(day)) day = day.plus(-1);
  return new Date(day.startsAt().getTime() + (8 + ((place * 3) % 9)) * HOUR_MS);
}

/** As the agent would report them. */
function modelCallsOf(sessions: PastSession[]): SentEvent[] {
  const calls = sessions.flatMap(({ sessionId, conversation, messages }) => {
    const ids = new Ids('model calls', sessionId);
    const random = new Random('tokens', conversation.said[0] ?? '');
    return messages
      .filter(({ role }) => role === 'assistant')
      .map(({ at }) => {
        const inputTokens = Math.round(random.around(60_000));
        const cacheReadTokens = Math.round(inputTokens * 0.8);
        const cacheWriteTokens = reportsCacheWrites(conversation.model) ? Math.round(inputTokens * 0.15) : 0;
        const outputTokens = Math.round(random.around(2_500));
        const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
        return { id: ids.next(), type: 'model_call', at, sessionId, modelId: conversation.model, ...tokens };
      });
  });
  return calls.map((call, index) => ({ index, value: { ...call, at: call.at.toISOString() } }));
}
