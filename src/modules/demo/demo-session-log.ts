import type { UtcDay } from '../../common/time/utc-day.js';
import type { ClientType, EventType } from '../ingest/event-codes.js';
import type { Ids, Random } from './demo-random.js';
import { reportsCacheWrites } from './demo-vocabulary.js';

export interface DemoEvent {
  readonly id: string;
  readonly type: EventType;
  readonly at: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly client: ClientType;
  readonly [detail: string]: unknown;
}

export interface SessionStart {
  readonly eventIds: Ids;
  readonly sessionId: string;
  readonly userId: string;
  readonly client: ClientType;
  readonly startMs: number;
  /** No event of the session is later than this day. */
  readonly day: UtcDay;
}

const SYSTEM_PROMPT_TOKENS = 11_000;
/** The conversation is summarized at this size. */
const MAX_CONTEXT_TOKENS = 160_000;

export class SessionLog {
  private atMs: number;
  private readonly lastMs: number;
  private contextTokens = 0;

  constructor(
    private readonly events: DemoEvent[],
    private readonly random: Random,
    private readonly session: SessionStart,
  ) {
    this.atMs = session.startMs;
    this.lastMs = session.day.next().startsAt().getTime() - 1;
  }

  /** Lets about so many seconds pass. */
  think(seconds: number): void {
    this.atMs += this.random.around(seconds, 0.7) * 1000;
  }

  add(type: EventType, details?: object): void {
    const { eventIds, sessionId, userId, client } = this.session;
    const at = new Date(Math.min(Math.round(this.atMs), this.lastMs)).toISOString();
    this.events.push({ id: eventIds.next(), type, at, sessionId, userId, client, ...details });
  }

  /** Input is the whole conversation, mostly from the cache. */
  callModel(modelId: string): void {
    const added = Math.round(this.random.around(this.contextTokens === 0 ? SYSTEM_PROMPT_TOKENS : 1_800, 0.7));
    const outputTokens = Math.round(this.random.around(modelId.endsWith('-thinking') ? 750 : 320, 0.8));
    const isCached = this.random.chance(0.93);
    const inputTokens = this.contextTokens + added;
    const cacheReadTokens = isCached ? this.contextTokens : 0;
    const cacheWriteTokens = reportsCacheWrites(modelId) ? Math.round(added * 0.9) : 0;
    this.think(5 + outputTokens / 60);
    this.add('model_call', { modelId, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens });
    this.contextTokens = inputTokens + outputTokens;
    if (this.contextTokens > MAX_CONTEXT_TOKENS) this.contextTokens = SYSTEM_PROMPT_TOKENS * 2;
  }
}
