import {
  billable,
  byModel,
  hooks,
  isInSession,
  isMcp,
  modeOf,
  ofType,
  servers,
  share,
  startedSessions,
  tokens,
} from './naive-breakdowns.js';
import { average, byCodePoint, counts, distinct, groups, percentile, sum } from './naive-math.js';
import { countedEvents } from './naive-events.js';
import { daysFrom, type Event, type NameKind, type ReportedEvent } from './reported-events.js';

/*
 * What the analytics endpoints have to answer, counted in the most straightforward way from the events themselves.
 * Written from the decisions about days and numbers; shares no code with the service, and is slow on purpose.
 */

const CLIENTS = ['terminal-ui', 'web', 'non-interactive-cli'];
const MODES = ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'];
export class NaiveRecount {
  private readonly events: Event[];

  /**
   * `arrivals` in order of arrival, with duplicates; `emails` by user id; `maxNames` per kind and day, the first ones.
   */
  constructor(
    arrivals: readonly ReportedEvent[],
    private readonly emails: ReadonlyMap<string, string | null>,
    maxNames = 5_000,
  ) {
    this.events = countedEvents(arrivals, maxNames);
  }

  tokens(days: string[]): object[] {
    return days.map((date) => {
      const calls = this.of(date, 'model_call');
      return {
        date,
        billable_tokens: sum(calls.map(billable)),
        input_tokens: tokens(calls, 'inputTokens'),
        output_tokens: tokens(calls, 'outputTokens'),
        cache_read_tokens: tokens(calls, 'cacheReadTokens'),
        cache_write_tokens: tokens(calls, 'cacheWriteTokens'),
        by_model: byModel(calls),
        by_user: groups(calls, ({ userId }) => userId)
          .map(([user_id, own]) => ({
            user_id,
            user_email: this.emails.get(user_id) ?? null,
            billable_tokens: sum(own.map(billable)),
            by_model: byModel(own),
          }))
          .sort((a, b) => b.billable_tokens - a.billable_tokens || byCodePoint(a.user_id, b.user_id)),
      };
    });
  }

  tokensByModel(days: string[]): object[] {
    return days.flatMap((date) =>
      byModel(this.of(date, 'model_call'))
        .sort((a, b) => byCodePoint(a.model_id, b.model_id))
        .map(({ model_id: group_key, billable_tokens, input_tokens, output_tokens }) => {
          return { date, group_key, billable_tokens, input_tokens, output_tokens };
        }),
    );
  }

  tools(days: string[]): object[] {
    return days.map((date) => {
      const calls = this.of(date, 'tool_call');
      const sessions = groups(this.of(date).filter(isInSession), (event) => `${event.userId} ${event.sessionId}`);
      const perSession = sessions.map(([, events]) => ({
        toolCalls: ofType(events, 'tool_call').length,
        userMessages: ofType(events, 'user_message').length,
      }));
      const ratios = perSession
        .filter(({ userMessages }) => userMessages > 0)
        .map(({ toolCalls, userMessages }) => toolCalls / userMessages)
        .sort((a, b) => a - b);
      return {
        date,
        tool_calls: calls.length,
        by_tool: counts(calls.map(({ names }) => names.tool ?? '')).map(([tool, invocations]) => ({
          tool,
          invocations,
        })),
        mcp_users_with_mcp: distinct(calls.filter(isMcp).map(({ userId }) => userId)),
        mcp_by_server: servers(calls.filter(isMcp)),
        ...this.named(date, 'skill_used', 'skill', 'skills'),
        ...this.named(date, 'slash_command', 'command', 'slash_commands'),
        hooks_invocations: this.of(date, 'hook_run').length,
        hooks_by_event: hooks(this.of(date, 'hook_run')),
        web_users: this.usersOf(date, 'web'),
        autonomy_ratio_avg: average(ratios),
        autonomy_ratio_p50: percentile(ratios, 0.5),
        autonomy_ratio_p90: percentile(ratios, 0.9),
        tool_calls_per_session_avg: average(perSession.map(({ toolCalls }) => toolCalls)),
        user_turns_per_session_avg: average(perSession.map(({ userMessages }) => userMessages)),
        tool_autonomy_level_ratio: {
          auto_high: share(calls, ['auto-high']),
          auto_medium: share(calls, ['auto-medium']),
          auto_low: share(calls, ['auto-low']),
          manual: share(calls, ['spec', 'manual']),
        },
      };
    });
  }

  toolsByName(days: string[]): object[] {
    return days.flatMap((date) =>
      counts(this.of(date, 'tool_call').map(({ names }) => names.tool ?? ''))
        .sort(([a], [b]) => byCodePoint(a, b))
        .map(([group_key, tool_calls]) => ({ date, group_key, tool_calls })),
    );
  }

  activity(days: string[]): object[] {
    return days.map((date) => {
      const userMessages = this.of(date, 'user_message').length;
      return {
        date,
        daily_active_users: this.usersSince(date, 0),
        weekly_active_users: this.usersSince(date, 6),
        monthly_active_users: this.usersSince(date, 29),
        daily_active_users_by_client: Object.fromEntries(CLIENTS.map((client) => [client, this.usersOf(date, client)])),
        sessions: startedSessions(this.of(date)),
        messages: userMessages + this.of(date, 'assistant_message').length,
        user_messages: userMessages,
      };
    });
  }

  activityByClient(days: string[]): object[] {
    return days.flatMap((date) =>
      [...CLIENTS]
        .sort(byCodePoint)
        .map((client) => ({ date, group_key: client, daily_active_users: this.usersOf(date, client) }))
        .filter((row) => row.daily_active_users > 0),
    );
  }

  productivity(days: string[]): object[] {
    return days.map((date) => {
      const created = this.of(date, 'file_created');
      const edited = this.of(date, 'file_edited');
      const files = [...created, ...edited];
      return {
        date,
        files_created: created.length,
        files_edited: edited.length,
        by_extension: counts(files.map(({ names }) => names.extension ?? '')).map(([name, count]) => ({
          extension: name,
          count,
        })),
        by_language: counts(files.map(({ names }) => names.language ?? '')).map(([name, count]) => ({
          language: name,
          count,
        })),
        git_commits: this.of(date, 'git_commit').length,
        git_prs_created: this.of(date, 'pull_request_created').length,
      };
    });
  }

  users(days: string[]): object[] {
    const inRange = this.events.filter(({ day }) => days.includes(day));
    const ids = [...new Set(inRange.map(({ userId }) => userId))].sort(byCodePoint);
    return ids.flatMap((id) =>
      days.flatMap((date) => {
        const own = inRange.filter(({ userId, day }) => userId === id && day === date);
        return own.length === 0 ? [] : [this.userRow(id, date, own)];
      }),
    );
  }

  private userRow(user_id: string, date: string, own: Event[]): object {
    const count = (type: string) => ofType(own, type).length;
    const toolCalls = ofType(own, 'tool_call');
    const [primary] = byModel(ofType(own, 'model_call'));
    const files = [...ofType(own, 'file_created'), ...ofType(own, 'file_edited')];
    const inMode = (mode: string) => toolCalls.filter((call) => modeOf(call) === mode).length;
    const mode = [...MODES].sort((a, b) => inMode(b) - inMode(a) || MODES.indexOf(a) - MODES.indexOf(b))[0];
    return {
      user_id,
      user_email: this.emails.get(user_id) ?? null,
      date,
      tool_calls: toolCalls.length,
      billable_tokens: sum(ofType(own, 'model_call').map(billable)),
      primary_model: primary?.model_id ?? 'unknown',
      primary_model_tier: primary?.model_tier ?? 'standard',
      files_created: count('file_created'),
      files_edited: count('file_edited'),
      git_commits: count('git_commit'),
      git_prs_created: count('pull_request_created'),
      mcp_calls: toolCalls.filter(isMcp).length,
      skill_calls: count('skill_used'),
      slash_commands: count('slash_command'),
      hooks: count('hook_run'),
      sessions: startedSessions(own),
      messages: count('user_message') + count('assistant_message'),
      user_messages: count('user_message'),
      assistant_messages: count('assistant_message'),
      autonomy_ratio: count('user_message') === 0 ? 0 : toolCalls.length / count('user_message'),
      delegation_level: toolCalls.length === 0 ? 'manual' : mode,
      languages: [...new Set(files.map(({ names }) => names.language ?? ''))].sort(byCodePoint),
    };
  }

  private of(date: string, type?: string): Event[] {
    const events = this.events.filter(({ day }) => day === date);
    return type === undefined ? events : ofType(events, type);
  }

  private named(date: string, type: string, kind: NameKind, field: string): object {
    const names = this.of(date, type).map((event) => event.names[kind] ?? '');
    const list = counts(names).map(([name, count]) => ({ name, count }));
    return { [`${field}_invocations`]: names.length, [`${field}_by_name`]: list };
  }

  private usersOf(date: string, client: string): number {
    const events = this.of(date).filter((event) => event.client === client);
    return distinct(events.map(({ userId }) => userId));
  }

  private usersSince(date: string, daysBefore: number): number {
    const first = daysFrom(date, -daysBefore);
    const events = this.events.filter(({ day }) => day >= first && day <= date);
    return distinct(events.map(({ userId }) => userId));
  }
}
