import { billable } from './naive-breakdowns.js';
import { byCodePoint } from './naive-math.js';
import { namesOf } from './naive-names.js';
import { daysBetween, type NameKind, type ReportedEvent } from './reported-events.js';

/*
 * What summary and breakdown have to answer, counted in the most straightforward way from events, teams and prices.
 * Written from the decisions; shares no code with the service, and is slow on purpose.
 */

/** US dollars per million tokens, times a million: pico-dollars per token. */
export interface NaivePrice {
  readonly model: string;
  readonly since: string;
  readonly until: string;
  /** Above this many input tokens. */
  readonly above: number;
  readonly input: bigint;
  readonly output: bigint;
  readonly cacheRead: bigint | null;
}

export interface NaiveMember {
  readonly userId: string;
  readonly teamId: string;
  readonly from: string;
  readonly to: string | null;
}

/** A value of null has no price. */
interface Part {
  readonly key: string;
  readonly day: string;
  readonly userId: string;
  readonly value: bigint | null;
}

export interface NaiveFigure {
  readonly value: bigint | null;
  readonly series: Map<string, bigint | null>;
}

const TOKENS: Record<string, string> = {
  input_tokens: 'inputTokens',
  output_tokens: 'outputTokens',
  cache_read_tokens: 'cacheReadTokens',
  cache_write_tokens: 'cacheWriteTokens',
};
const TYPES: Record<string, string[]> = {
  messages: ['user_message', 'assistant_message'],
  user_messages: ['user_message'],
  tool_calls: ['tool_call'],
  files_created: ['file_created'],
  files_edited: ['file_edited'],
  git_commits: ['git_commit'],
  git_prs_created: ['pull_request_created'],
};
const OF_MODELS = ['billable_tokens', 'cost', 'model_calls', ...Object.keys(TOKENS)];

export type NaiveFilters = Partial<Record<'user_id' | 'team_id' | 'client' | 'model', string>>;

export class NaiveQuestions {
  constructor(
    private readonly events: readonly (ReportedEvent & { client: string })[],
    private readonly members: readonly NaiveMember[],
    private readonly prices: readonly NaivePrice[],
  ) {}

  /** Rows in order, and what they come to together. */
  rows(dimension: string, metric: string, [from, to]: [string, string], filters: NaiveFilters = {}) {
    const parts = this.parts(dimension, metric, filters).filter(({ day }) => day >= from && day <= to);
    const keys = [...new Set(parts.map(({ key }) => key))];
    const figureOf = (isWanted: (key: string) => boolean) => {
      const own = parts.filter(({ key }) => isWanted(key));
      const days = daysBetween(from, to).map((day): [string, bigint | null] => [
        day,
        figure(
          metric,
          own.filter((part) => part.day === day),
        ),
      ]);
      return { value: figure(metric, own), series: new Map(days) };
    };
    const rows = keys.map((key) => ({ key, ...figureOf((other) => other === key) }));
    return {
      rows: rows.sort((a, b) => descending(a.value, b.value) || byCodePoint(a.key, b.key)),
      total: figureOf(() => true),
      without: (named: string[]): NaiveFigure => figureOf((key) => !named.includes(key)),
    };
  }

  /** Of every event that belongs to the dimension: what it adds to the metric, 0 included. */
  private parts(dimension: string, metric: string, filters: NaiveFilters): Part[] {
    const seenSessions = new Set<string>();
    return this.events.flatMap((event) => {
      const day = event.at.slice(0, 10);
      const isCall = event.type === 'model_call';
      if ((OF_MODELS.includes(metric) || dimension === 'model') && !isCall) return [];
      if (filters.user_id !== undefined && filters.user_id !== event.userId) return [];
      if (filters.team_id !== undefined && filters.team_id !== this.teamOf(event.userId, day)) return [];
      if (filters.client !== undefined && filters.client !== event.client) return [];
      if (filters.model !== undefined && filters.model !== event.modelId) return [];
      const key = this.keyOf(dimension, event, day);
      if (key === null) return [];
      let value: bigint | null = 1n;
      if (OF_MODELS.includes(metric)) value = this.ofCall(metric, event, day);
      else if (metric === 'sessions') {
        const session = `${day} ${event.userId} ${event.sessionId}`;
        const isNew = event.type === 'session_started' && event.sessionId !== undefined && !seenSessions.has(session);
        if (isNew) seenSessions.add(session);
        value = isNew ? 1n : 0n;
      } else if (TYPES[metric]) value = TYPES[metric].includes(event.type) ? 1n : 0n;
      return [{ key, day, userId: event.userId, value }];
    });
  }

  private keyOf(dimension: string, event: ReportedEvent & { client: string }, day: string): string | null {
    if (dimension === 'user') return event.userId;
    if (dimension === 'team') return this.teamOf(event.userId, day);
    if (dimension === 'client') return event.client;
    const name = new Map(namesOf(event)).get(dimension as NameKind) ?? null;
    return dimension === 'server' ? (name?.toLowerCase() ?? null) : name;
  }

  private teamOf(userId: string, day: string): string {
    const member = this.members.find(
      (each) => each.userId === userId && each.from <= day && (each.to === null || each.to >= day),
    );
    return member?.teamId ?? '(none)';
  }

  private ofCall(metric: string, event: ReportedEvent, day: string): bigint | null {
    const count = (field: string) => BigInt((event[field] as number | undefined) ?? 0);
    if (metric === 'model_calls') return 1n;
    if (metric === 'billable_tokens') return BigInt(billable(event as never));
    if (metric !== 'cost') return count(TOKENS[metric] ?? '');
    const input = count('inputTokens');
    const [price] = this.prices
      .filter((each) => each.model === event.modelId && each.since <= day && day < each.until && input > each.above)
      .sort((a, b) => b.above - a.above);
    if (!price) return null;
    const [read, write] = [count('cacheReadTokens'), count('cacheWriteTokens')];
    return (input - read - write) * price.input + count('outputTokens') * price.output + read * (price.cacheRead ?? 0n);
  }
}

function figure(metric: string, parts: Part[]): bigint | null {
  if (metric === 'active_people') return BigInt(new Set(parts.map(({ userId }) => userId)).size);
  const known = parts.flatMap(({ value }) => value ?? []);
  if (known.length === 0 && parts.length > 0) return null;
  return known.reduce((sum, value) => sum + value, 0n);
}

function descending(a: bigint | null, b: bigint | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return b > a ? 1 : Number(b < a) * -1;
}
