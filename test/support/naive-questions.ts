import { billable } from './naive-breakdowns.js';
import { byCodePoint, counts } from './naive-math.js';
import type { NaivePriceBook } from './naive-price-book.js';
import { daysBetween, type Event, type NameKind } from './reported-events.js';

/*
 * What questions to analytics have to answer, counted in the most straightforward way from events, teams and prices.
 * Written from the decisions; shares no code with the service, and is slow on purpose.
 */

export interface NaiveMember {
  readonly userId: string;
  readonly teamId: string;
  readonly from: string;
  readonly to: string | null;
}

/** What an event adds to a figure; of a cost, the tokens and how many of them have no price. */
interface Part {
  readonly key: string;
  readonly day: string;
  readonly userId: string;
  readonly value: bigint;
  readonly tokens: bigint;
  readonly unpriced: bigint;
}

export interface NaiveFigure {
  readonly value: bigint | null;
  readonly series: Map<string, bigint | null>;
}

export type NaiveRange = readonly [first: string, last: string];

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
/** What a summary has. */
export const NAIVE_METRICS = [...OF_MODELS, 'active_people', 'sessions', ...Object.keys(TYPES)];

export type NaiveFilters = Partial<Record<'user_id' | 'team_id' | 'client' | 'model', string>>;

export class NaiveQuestions {
  constructor(
    readonly events: readonly Event[],
    private readonly members: readonly NaiveMember[],
    private readonly prices: NaivePriceBook,
  ) {}

  /** The same of some of the events. */
  of(isWanted: (event: Event) => boolean): NaiveQuestions {
    return new NaiveQuestions(this.events.filter(isWanted), this.members, this.prices);
  }

  /** Rows in order, and what they come to together. */
  rows(dimension: string, metric: string, [from, to]: NaiveRange, filters: NaiveFilters = {}) {
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

  /** What all events of the range come to. */
  value(metric: string, range: NaiveRange, filters: NaiveFilters = {}): bigint | null {
    return this.rows('user', metric, range, filters).total.value;
  }

  /** What a cost leaves out, and whether it has anything. */
  money(range: NaiveRange, filters: NaiveFilters = {}) {
    const calls = this.parts('model', 'cost', filters).filter(({ day }) => day >= range[0] && day <= range[1]);
    const unpriced = calls.filter((call) => call.unpriced > 0n);
    return {
      isPriced: calls.some((call) => call.unpriced < call.tokens),
      unpricedTokens: Number(unpriced.reduce((sum, call) => sum + call.unpriced, 0n)),
      unpricedModels: [...new Set(unpriced.map(({ key }) => key))].sort(byCodePoint),
    };
  }

  /** The most frequent spelling of a server. */
  spelling(server: string, [from, to]: NaiveRange): string {
    const names = this.events.flatMap(({ day, names: { server: name } }) =>
      day >= from && day <= to && name?.toLowerCase() === server ? [name] : [],
    );
    return counts(names)[0]?.[0] ?? '';
  }

  /** Of every event that belongs to the dimension: what it adds to the metric, 0 included. */
  private parts(dimension: string, metric: string, filters: NaiveFilters): Part[] {
    const seenSessions = new Set<string>();
    return this.events.flatMap((event) => {
      const { day, userId } = event;
      const isCall = event.type === 'model_call';
      if ((OF_MODELS.includes(metric) || dimension === 'model') && !isCall) return [];
      if (filters.user_id !== undefined && filters.user_id !== userId) return [];
      if (filters.team_id !== undefined && filters.team_id !== this.teamOf(userId, day)) return [];
      if (filters.client !== undefined && filters.client !== event.client) return [];
      if (filters.model !== undefined && filters.model !== event.names.model) return [];
      const key = this.keyOf(dimension, event, day);
      if (key === null) return [];
      if (metric === 'cost') {
        const { picoDollars: value, tokens, unpricedTokens: unpriced } = this.prices.costOf(event);
        return [{ key, day, userId, value, tokens, unpriced }];
      }
      let value = 1n;
      if (OF_MODELS.includes(metric)) value = ofCall(metric, event);
      else if (metric === 'sessions') {
        const session = `${day} ${userId} ${event.sessionId}`;
        const isNew = event.type === 'session_started' && event.sessionId !== undefined && !seenSessions.has(session);
        if (isNew) seenSessions.add(session);
        value = isNew ? 1n : 0n;
      } else if (TYPES[metric]) value = TYPES[metric].includes(event.type) ? 1n : 0n;
      return [{ key, day, userId, value, tokens: 0n, unpriced: 0n }];
    });
  }

  private keyOf(dimension: string, event: Event, day: string): string | null {
    if (dimension === 'user') return event.userId;
    if (dimension === 'team') return this.teamOf(event.userId, day);
    if (dimension === 'client') return event.client;
    const name = event.names[dimension as NameKind] ?? null;
    return dimension === 'server' ? (name?.toLowerCase() ?? null) : name;
  }

  private teamOf(userId: string, day: string): string {
    const member = this.members.find(
      (each) => each.userId === userId && each.from <= day && (each.to === null || each.to >= day),
    );
    return member?.teamId ?? '(none)';
  }
}

function ofCall(metric: string, event: Event): bigint {
  if (metric === 'model_calls') return 1n;
  if (metric === 'billable_tokens') return BigInt(billable(event));
  return BigInt((event[TOKENS[metric] ?? ''] as number | undefined) ?? 0);
}

/** A cost of tokens none of which has a price is not known. */
function figure(metric: string, parts: Part[]): bigint | null {
  if (metric === 'active_people') return BigInt(new Set(parts.map(({ userId }) => userId)).size);
  const sum = (of: (part: Part) => bigint) => parts.reduce((total, part) => total + of(part), 0n);
  const unpriced = sum((part) => part.unpriced);
  return unpriced > 0n && unpriced === sum(({ tokens }) => tokens) ? null : sum(({ value }) => value);
}

function descending(a: bigint | null, b: bigint | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return b > a ? 1 : Number(b < a) * -1;
}
