import { byCodePoint, counts, distinct, groups, sum } from './naive-math.js';
import type { Event } from './reported-events.js';

const MODE_OF: Record<string, string> = { high: 'auto-high', medium: 'auto-medium', low: 'auto-low', spec: 'spec' };

export function byModel(calls: Event[]) {
  return groups(calls, ({ names }) => names.model ?? '')
    .map(([model_id, own]) => ({
      model_id,
      model_tier: own.some(({ modelId }) => String(modelId).endsWith('-thinking')) ? 'thinking' : 'standard',
      billable_tokens: sum(own.map(billable)),
      input_tokens: tokens(own, 'inputTokens'),
      output_tokens: tokens(own, 'outputTokens'),
    }))
    .sort((a, b) => b.billable_tokens - a.billable_tokens || byCodePoint(a.model_id, b.model_id));
}

/** In twentieths, so that nothing is lost before it is rounded. */
export function billable(call: Event): number {
  const {
    inputTokens,
    outputTokens,
    cacheReadTokens = 0,
    cacheWriteTokens = 0,
  } = call as unknown as Record<string, number>;
  const fresh = (inputTokens ?? 0) - cacheReadTokens - cacheWriteTokens;
  return Math.floor((20 * (fresh + (outputTokens ?? 0)) + 2 * cacheReadTokens + 25 * cacheWriteTokens + 10) / 20);
}

export function servers(calls: Event[]): object[] {
  return groups(calls, ({ names }) => names.server?.toUpperCase() ?? '')
    .map(([, own]) => ({
      server: counts(own.map(({ names }) => names.server ?? ''))[0]?.[0] ?? '',
      invocations: own.length,
    }))
    .sort((a, b) => b.invocations - a.invocations || byCodePoint(a.server, b.server));
}

export function hooks(runs: Event[]): object[] {
  return groups(runs, ({ names }) => names.hook ?? '')
    .map(([key, own]) => {
      const [event, matcher, command] = JSON.parse(key) as [string, string, string];
      return { event, matcher, command, count: own.length };
    })
    .sort(
      (a, b) =>
        b.count - a.count ||
        byCodePoint(a.event, b.event) ||
        byCodePoint(a.matcher, b.matcher) ||
        byCodePoint(a.command, b.command),
    );
}

export function modeOf({ autonomyLevel }: Event): string {
  return MODE_OF[String(autonomyLevel)] ?? 'manual';
}

export function share(calls: Event[], modes: string[]): number {
  return calls.length === 0 ? 0 : calls.filter((call) => modes.includes(modeOf(call))).length / calls.length;
}

export function startedSessions(events: Event[]): number {
  const started = ofType(events, 'session_started').filter(isInSession);
  return distinct(started.map(({ userId, sessionId }) => `${userId} ${sessionId}`));
}

export const isMcp = ({ mcpServer }: Event) => mcpServer !== undefined;
export const isInSession = ({ sessionId }: Event) => sessionId !== undefined;
export const ofType = (events: Event[], type: string) => events.filter((event) => event.type === type);
export const tokens = (calls: Event[], field: string) => sum(calls.map((call) => Number(call[field] ?? 0)));
