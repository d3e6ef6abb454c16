import type { GivenOrganization, GivenUser } from './given.js';
import { event, modelCall } from './given-usage.js';
import { NaivePriceBook } from './naive-price-book.js';
import type { NaiveMember } from './naive-questions.js';
import type { ReportedEvent } from './reported-events.js';
import { query } from './test-database.js';

export type ClientEvent = ReportedEvent & { client: string };

/** Some of everything on every day, different for each user; always the same. */
export function variedEvents(users: GivenUser[], days: string[]): ClientEvent[] {
  const clients = ['terminal-ui', 'web', 'non-interactive-cli'];
  const pick = (n: number, of: string[]) => of[n % of.length];
  return days.flatMap((day, d) =>
    users.flatMap((user, u) => {
      const n = d * 7 + u * 3;
      if (n % 5 === 4) return [];
      const common = { sessionId: `s${n % 2}`, client: pick(n, clients) };
      const call = (i: number) =>
        modelCall(user, day, {
          ...common,
          modelId: pick(n + i, ['priced', 'tiered', 'unknown-model', 'changing']),
          inputTokens: 1_000 + n * 37 + i * 5_000,
          outputTokens: 10 + n,
          cacheReadTokens: 100 + i,
        });
      const tools = Array.from({ length: 1 + (n % 4) }, (_, i) =>
        event(user, 'tool_call', day, {
          ...common,
          tool: pick(n + i, ['Read', 'Edit', 'Bash']),
          ...(i === 0 ? { mcpServer: pick(n, ['GitHub', 'github', 'jira']) } : {}),
        }),
      );
      return [
        call(0),
        ...(n % 3 === 0 ? [call(1)] : []),
        ...tools,
        event(user, 'session_started', day, common),
        event(user, 'user_message', day, common),
        event(user, 'assistant_message', day, common),
        event(user, 'skill_used', day, { ...common, name: pick(n, ['review', 'plan']) }),
        event(user, 'slash_command', day, { ...common, name: pick(n, ['/compact', '/clear', '/help']) }),
        event(user, 'hook_run', day, {
          ...common,
          event: 'PostToolUse',
          matcher: pick(n, ['', 'Edit']),
          command: 'lint',
        }),
        event(user, pick(n, ['file_edited', 'file_created']) ?? '', day, {
          ...common,
          extension: pick(n, ['.ts', '.py', '.md', '']),
        }),
        ...(n % 2 === 0 ? [event(user, 'git_commit', day, common)] : []),
        ...(n % 7 === 0 ? [event(user, 'pull_request_created', day, common)] : []),
      ] as ClientEvent[];
    }),
  );
}

/** `priced`, `tiered` above 6,000 tokens, and `changing`, whose price changes on a day; `unknown-model` has none. */
export async function givenPrices(url: string, orgId: string, changeOn: string): Promise<NaivePriceBook> {
  const rows = [
    { model: 'priced', since: '2026-01-01', input: '3', output: '15', cacheRead: '0.3' },
    {
      model: 'tiered',
      since: '2026-01-01',
      input: '1',
      output: '2',
      cacheRead: '0.1',
      tiers: [{ above: 6_000, input: '2', output: '4', cacheRead: '0.2' }],
    },
    { model: 'changing', since: '2026-01-01', until: changeOn, input: '5', output: '5', cacheRead: '0.5' },
    { model: 'changing', since: changeOn, input: '7', output: '7', cacheRead: '0.7' },
  ];
  await query(url, `INSERT INTO organization_prices (org_id, revision, prices, updated_at) VALUES ($1, 1, $2, now())`, [
    orgId,
    JSON.stringify(rows),
  ]);
  return new NaivePriceBook([], rows);
}

export async function givenTeam(url: string, org: GivenOrganization, id: string, name: string): Promise<void> {
  await query(
    url,
    `WITH changed AS (INSERT INTO team_changes (org_id, revision) VALUES ($1, 1)
                      ON CONFLICT (org_id) DO UPDATE SET revision = team_changes.revision + 1)
     INSERT INTO teams (org_id, id, name, name_key, created_at) VALUES ($1, $2, $3, lower($3), now())`,
    [org.id, id, name],
  );
}

export async function givenMembers(url: string, org: GivenOrganization, members: NaiveMember[]): Promise<void> {
  for (const { userId, teamId, from, to } of members) {
    await query(
      url,
      `WITH changed AS (UPDATE team_changes SET revision = revision + 1 WHERE org_id = $1)
       INSERT INTO team_members (org_id, user_id, team_id, from_day, to_day) VALUES ($1, $2, $3, $4, $5)`,
      [org.id, userId, teamId, from, to],
    );
  }
}
