import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { yieldFairly } from '../../common/yield-fairly.js';
import { Clock } from '../../common/time/clock.js';
import { CLIENT_CODE } from './event-codes.js';
import { AppConfig } from '../../config/app-config.js';
import { EventNamesService } from './event-names.service.js';
import { EventPartitions } from './event-partitions.js';
import { EventRejected, parseEvent } from './event-parser.js';
import type { SentEvent } from './event-source.js';
import { EventWriter } from './event-writer.js';
import { ModelPrices } from './model-prices.js';
import { EventUsersRepository } from './event-users.repository.js';
import { SessionClientsRepository } from './session-clients.repository.js';
import { dayOf, type EventRow, type UsageEvent } from './usage-event.js';

const MAX_REPORTED_REJECTIONS = 1_000;
/** Parsing yields to the event loop after this many events, above all for the writer. */
const EVENTS_AT_A_STRETCH = 500;
const MAX_AHEAD_MS = 5 * 60_000;

export interface Rejection {
  index: number;
  id?: string;
  error: string;
}

export interface IngestResult {
  accepted: number;
  duplicates: number;
  rejectedCount: number;
  /** At most MAX_REPORTED_REJECTIONS. */
  rejected: Rejection[];
}

interface Arrival {
  readonly index: number;
  readonly event: UsageEvent;
}

/** Accepts usage events: each is validated on its own, deduplicated, and durable when it is acknowledged. */
@Injectable()
export class IngestService {
  private readonly prices: ModelPrices;

  constructor(
    config: AppConfig,
    private readonly partitions: EventPartitions,
    private readonly names: EventNamesService,
    private readonly sessionClients: SessionClientsRepository,
    private readonly users: EventUsersRepository,
    private readonly writer: EventWriter,
    private readonly clock: Clock,
  ) {
    this.prices = new ModelPrices(config.analytics.priceBook);
  }

  async ingest(caller: Principal, batches: AsyncIterable<SentEvent[]>): Promise<IngestResult> {
    const result = emptyResult();
    for await (const batch of batches) await this.ingestBatch(caller, batch, result);
    return result;
  }

  async ingestAll(caller: Principal, batch: SentEvent[]): Promise<IngestResult> {
    const result = emptyResult();
    await this.ingestBatch(caller, batch, result);
    return result;
  }

  get oldestWriteWaitMs(): number {
    return this.writer.oldestWaitMs;
  }

  /** The addresses, in lower case, that belong to users of the organization. */
  async listKnownEmails(orgId: string, emails: string[]): Promise<Set<string>> {
    const users = await this.users.listByIdOrEmail(
      orgId,
      [],
      emails.map((email) => email.toLowerCase()),
    );
    return new Set(users.flatMap(({ emailKey }) => emailKey ?? []));
  }

  private async ingestBatch(caller: Principal, batch: SentEvent[], result: IngestResult): Promise<void> {
    const reject = (index: number, id: unknown, error: string) => {
      result.rejectedCount++;
      if (result.rejected.length === MAX_REPORTED_REJECTIONS) return;
      result.rejected.push({ index, ...(typeof id === 'string' && id.length <= 100 ? { id } : {}), error });
    };
    const parsed = await this.parse(batch, reject);
    const timely = await this.keepTimely(parsed, reject);
    const owned = await this.resolveUsers(caller, timely, reject);
    const rows = await this.toRows(caller.orgId, owned);
    const added = await this.writer.write(caller.orgId, withoutRepetitions(rows));
    result.accepted += added.length;
    result.duplicates += rows.length - added.length;
  }

  private async parse(batch: SentEvent[], reject: Reject): Promise<Arrival[]> {
    const arrivals: Arrival[] = [];
    for (const [place, sent] of batch.entries()) {
      if (place % EVENTS_AT_A_STRETCH === EVENTS_AT_A_STRETCH - 1) await yieldFairly();
      if ('error' in sent) {
        reject(sent.index, undefined, sent.error);
        continue;
      }
      try {
        arrivals.push({ index: sent.index, event: parseEvent(sent.value, this.prices, sent) });
      } catch (error) {
        if (!(error instanceof EventRejected)) throw error;
        reject(sent.index, (sent.value as { id?: unknown } | null)?.id, error.message);
      }
    }
    return arrivals;
  }

  /** Rejects events of the future and of dropped days, and creates missing partitions of the others. */
  private async keepTimely(arrivals: Arrival[], reject: Reject): Promise<Arrival[]> {
    const latest = new Date(this.clock.now().getTime() + MAX_AHEAD_MS).toISOString();
    const first = this.partitions.firstOpenDay().toString();
    const isOpen = new Map<string, boolean>();
    for (const { event } of arrivals) {
      const day = dayOf(event);
      if (event.at <= latest && day >= first && !isOpen.has(day)) isOpen.set(day, await this.partitions.ensure(day));
    }
    return arrivals.filter(({ index, event }) => {
      if (isOpen.get(dayOf(event)) && event.at <= latest) return true;
      reject(index, event.id, whyUntimely(event, latest, first));
      return false;
    });
  }

  private async resolveUsers(caller: Principal, arrivals: Arrival[], reject: Reject): Promise<OwnedEvent[]> {
    const mayReportForOthers = caller.role === Role.Owner || caller.role === Role.Manager;
    const found = await this.findUsers(caller, mayReportForOthers ? arrivals : []);
    const owned: OwnedEvent[] = [];
    for (const { index, event } of arrivals) {
      const userId = event.user === null ? caller.userId : found(event.user);
      if (userId !== undefined) owned.push({ event, userId });
      else reject(index, event.id, mayReportForOthers ? UNKNOWN_USER : OTHER_USER);
    }
    return owned;
  }

  private async findUsers(
    caller: Principal,
    arrivals: Arrival[],
  ): Promise<(user: NonNullable<UsageEvent['user']>) => string | undefined> {
    const ids = new Set<string>();
    const emailKeys = new Set<string>();
    for (const { event } of arrivals) {
      if (event.user && 'id' in event.user) ids.add(event.user.id);
      else if (event.user) emailKeys.add(event.user.emailKey);
    }
    const isNeeded = ids.size + emailKeys.size > 0;
    const users = isNeeded ? await this.users.listByIdOrEmail(caller.orgId, [...ids], [...emailKeys]) : [];
    const self = { id: caller.userId, emailKey: caller.email?.toLowerCase() ?? null };
    const byId = new Map([self, ...users].map(({ id }) => [id, id]));
    const byEmail = new Map([self, ...users].map(({ id, emailKey }) => [emailKey, id]));
    return (user) => ('id' in user ? byId.get(user.id) : byEmail.get(user.emailKey));
  }

  private async toRows(orgId: string, owned: OwnedEvent[]): Promise<EventRow[]> {
    const clients = await this.resolveClients(orgId, owned);
    const idOf = await this.names.register(
      orgId,
      owned.map(({ event }) => event),
    );
    return owned.map(({ event, userId }, i) => ({
      id: event.id,
      kind: event.kind,
      at: event.at,
      userId,
      sessionKey: event.sessionKey,
      client: clients[i] ?? CLIENT_CODE['non-interactive-cli'],
      autonomy: event.autonomy,
      tier: event.tier,
      nameId: event.name && idOf(event, event.name),
      detailId: event.detail && idOf(event, event.detail),
      inputTokens: event.inputTokens,
      outputTokens: event.outputTokens,
      cacheReadTokens: event.cacheReadTokens,
      cacheWriteTokens: event.cacheWriteTokens,
      cacheWrite1hTokens: event.cacheWrite1hTokens,
      thinkingTokens: event.thinkingTokens,
      billableTokens: event.billableTokens,
      reportedCost: event.reportedCost,
      isSum: event.isSum,
    }));
  }

  private resolveClients(orgId: string, owned: OwnedEvent[]): Promise<(number | null)[]> {
    const today = this.clock.now().toISOString().slice(0, 10);
    const mentions = owned.map(({ event, userId }) => ({ userId, sessionKey: event.sessionKey, client: event.client }));
    return this.sessionClients.upsertAll(orgId, mentions, today);
  }
}

function emptyResult(): IngestResult {
  return { accepted: 0, duplicates: 0, rejectedCount: 0, rejected: [] };
}

const UNKNOWN_USER = 'the organization has no such user';
const OTHER_USER = 'only an owner or a manager may report for other users';

function whyUntimely(event: UsageEvent, latest: string, first: string): string {
  const day = dayOf(event);
  if (event.at > latest) return 'at lies in the future';
  if (day < first) return `at lies before ${first}, the first day that is kept`;
  return `the events of ${day} have been dropped`;
}

type Reject = (index: number, id: unknown, error: string) => void;
interface OwnedEvent {
  readonly event: UsageEvent;
  readonly userId: string;
}

function withoutRepetitions(rows: EventRow[]): EventRow[] {
  if (new Set(rows.map(({ id }) => id)).size === rows.length) return rows;
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = dayOf(row) + row.id;
    return seen.has(key) ? false : seen.add(key);
  });
}
