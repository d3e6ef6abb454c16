import fc from 'fast-check';
import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import {
  type Verification,
  VerificationService,
} from '../../src/modules/analytics/verification/verification.service.js';
import { expectRecount } from '../support/expect-recount.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { aggregate, ANALYTICS, report, startUsageApp } from '../support/given-usage.js';
import { isLong } from '../support/long.js';
import { ManualClock } from '../support/manual-clock.js';
import { NaiveRecount } from '../support/naive-recount.js';
import type { ReportedEvent } from '../support/reported-events.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';
import { utcDay } from '../support/utc-day.js';

/** `RECOUNT_RUNS=2000 RECOUNT_SEED=$RANDOM` for a very long run. */
const RUNS = Number(process.env.RECOUNT_RUNS ?? (isLong ? 12 : 2));
const SEED = Number(process.env.RECOUNT_SEED ?? 20_260_114);
const RANGE = { start: '2026-01-14', end: '2026-03-09' };
const DAYS = ['2026-01-14', '2026-01-15', '2026-01-20', '2026-02-27', '2026-02-28', '2026-03-05', '2026-03-09'];
const TODAY = '2026-03-10';
const LATER = { now: '2026-03-17T00:00:00.000Z', start: '2026-03-01', end: '2026-03-16' };
const HOUR_MS = 3600_000;
const USERS = 4;
const FACT_TABLES = ['user_facts', 'user_model_facts', 'day_facts', 'day_model_facts', 'name_facts'];
/** Fewer than a story uses of some kinds, more than it uses of others. */
const MAX_NAMES = 5;

const NOW = `${TODAY}T09:00:00.000Z`;
/** After this, every late event is counted. */
const LONGEST_PAUSE_MS = 15 * 60_000;
const clock = new ManualClock(NOW);
let app: TestApp;

beforeAll(async () => {
  app = await startUsageApp({ clock, env: { MAX_NAMES_PER_DAY: String(MAX_NAMES) } });
  // As in a database whose own order of letters is not that of code points.
  await query(app.database.url, `ALTER TABLE event_names ALTER name TYPE text COLLATE "en-x-icu"`);
});
afterAll(() => app.stop());

/** An event before it is known whose organization it is in: `user` is a place in the list of users. */
type Draft = { user: number; type: string; at: string } & Record<string, unknown>;

const few = <T>(...values: T[]) => fc.constantFrom(...values);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const name = fc.oneof(
  { weight: 6, arbitrary: few('a', 'B', 'b', 'Å', 'z"\\', '=1+1', '\u{1f600}', '\uff5e', ' a ', 'a\u0007', "'); --") },
  { weight: 1, arbitrary: few('n'.repeat(250), `${'\u{1f600}'.repeat(199)} x`, 'a'.repeat(200)) },
);
const tool = few(
  'Read',
  'read',
  'Edit file',
  'mcp:x/y',
  'Ünï',
  '{"cmd":',
  '-rf',
  '',
  ' Read',
  'unknown',
  '\u{10400}',
  '\uff5e',
);
const server = few('GitHub', 'github', 'GITHUB', ' github', 'Ämter', 'ämter', 'jira', '\u{1f600}', '\uff5e');
const tokens = few(0, 1, 5, 9, 15, 1_000, 333_333_333);
const FIELDS: Record<string, fc.Arbitrary<object>> = {
  session_started: fc.constant({}),
  user_message: fc.constant({}),
  assistant_message: fc.constant({}),
  model_call: fc
    .record({
      modelId: few('sonnet', 'opus-thinking', 'Sonnet', '\u{1f600}', '\uff5e', '=1+1', 'unknown'),
      outputTokens: tokens,
      cacheReadTokens: maybe(tokens),
      cacheWriteTokens: maybe(tokens),
      fresh: tokens,
    })
    .map(({ fresh, ...call }) => {
      return { ...call, inputTokens: fresh + (call.cacheReadTokens ?? 0) + (call.cacheWriteTokens ?? 0) };
    }),
  tool_call: fc.record({
    tool,
    mcpServer: maybe(server),
    autonomyLevel: maybe(few('off', 'low', 'medium', 'high', 'spec')),
  }),
  skill_used: fc.record({ name }),
  slash_command: fc.record({ name }),
  hook_run: fc.record({
    event: few('Stop', 'PostToolUse'),
    matcher: maybe(fc.oneof(name, fc.constant(''))),
    command: name,
  }),
  file_created: fc.record({
    extension: few('.ts', 'TS', 'py', '', '.PY', '.xyz'),
    language: maybe(few('Zig', 'C', 'c')),
  }),
  file_edited: fc.record({ extension: few('.ts', '.md', 'xyz', '.'), language: maybe(few('TypeScript', ' C ')) }),
  git_commit: fc.constant({}),
  pull_request_created: fc.constant({}),
};
const type = fc.oneof(
  { weight: 3, arbitrary: few('tool_call', 'model_call', 'user_message') },
  { weight: 2, arbitrary: few(...Object.keys(FIELDS)) },
);
const draft: fc.Arbitrary<Draft> = type.chain((of) =>
  fc
    .record({
      user: fc.nat(USERS - 1),
      day: few(...DAYS, TODAY),
      time: few('00:00:00.000Z', '08:00:00Z', '08:30:00.5+00:00', '08:59:59.999Z', '00:30:00.000-08:00'),
      sessionId: maybe(few('s-1', 's-2', 'ſ', '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d41')),
      client: maybe(few('terminal-ui', 'web', 'non-interactive-cli')),
      fields: FIELDS[of] ?? fc.constant({}),
    })
    .map(({ user, day, time, sessionId, client, fields }) => {
      return { type: of, user, at: `${day}T${time}`, sessionId, client, ...fields };
    }),
);

/** What happens to an organization, in this order. */
type Step =
  | { do: 'send'; events: number[] }
  | { do: 'aggregate' }
  | { do: 'rebuild'; day: string }
  | { do: 'read'; path: string }
  | { do: 'skew'; hours: number }
  | { do: 'compare' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: few('send' as const), events: fc.array(fc.nat(1000), { minLength: 1, maxLength: 30 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: few('aggregate' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: few('rebuild' as const), day: few(...DAYS) }) },
  { weight: 2, arbitrary: fc.record({ do: few('read' as const), path: few('tokens', 'activity', 'users') }) },
  { weight: 1, arbitrary: fc.record({ do: few('skew' as const), hours: few(0, 5, 17, 30, 200, 900) }) },
  { weight: 1, arbitrary: fc.record({ do: few('compare' as const) }) },
);
const history = fc.record({
  drafts: fc.array(draft, { minLength: 1, maxLength: 100, size: 'max' }),
  steps: fc.array(step, { maxLength: 10, size: 'max' }),
});

/** An organization of a few users, and what was reported for it so far. */
class Story {
  readonly arrivals: ReportedEvent[] = [];
  private comparedAtMs = Date.parse(NOW);

  private constructor(
    private readonly org: GivenOrganization,
    private readonly users: GivenUser[],
  ) {}

  static async begin(): Promise<Story> {
    clock.set(NOW);
    const org = await app.given.organization();
    const others = await Promise.all(Array.from({ length: USERS - 1 }, () => app.given.user(org)));
    return new Story(org, [org.owner, ...others]);
  }

  toEvents(drafts: Draft[]): ReportedEvent[] {
    return drafts.map(({ user, ...fields }, i) => {
      const id = `01980f5e-0000-7000-8000-${i.toString().padStart(12, '0')}`;
      return { id, userId: this.users[user]?.id ?? '', ...fields };
    });
  }

  async send(events: ReportedEvent[]): Promise<void> {
    await report(app.as(this.org.owner), events);
    this.arrivals.push(...events);
  }

  async take(next: Step, events: ReportedEvent[]): Promise<unknown> {
    switch (next.do) {
      case 'send':
        return this.send(next.events.flatMap((place) => events[place % events.length] ?? []));
      case 'aggregate':
        return aggregate(app);
      case 'rebuild':
        return app.nest.get(AggregationService).rebuild([this.org.id], utcDay(next.day));
      case 'read':
        return app.as(this.org.owner).get(`${ANALYTICS}/${next.path}?startDate=${RANGE.start}&endDate=${RANGE.end}`);
      case 'skew': // until the next comparison, the clock is ahead
        return clock.set(new Date(Date.parse(NOW) + next.hours * HOUR_MS));
      case 'compare':
        return this.compare();
    }
  }

  compare(arrivals = this.arrivals): Promise<void> {
    this.comparedAtMs += LONGEST_PAUSE_MS;
    clock.set(new Date(this.comparedAtMs));
    return this.compareTo(RANGE, arrivals);
  }

  /** A week later, the last days, which were not over before, are as right as all others. */
  async compareLater(): Promise<void> {
    clock.set(LATER.now);
    await this.compareTo(LATER);
  }

  private async compareTo(range: { start: string; end: string }, arrivals = this.arrivals): Promise<void> {
    await aggregate(app);
    const emails = new Map(this.users.map(({ id, email }) => [id, email]));
    await expectRecount(app.as(this.org.owner), new NaiveRecount(arrivals, emails, MAX_NAMES), range);
  }

  /** What `verify` finds in the days with events. */
  async differences(
    days = new Set(this.arrivals.map(({ at }) => new Date(at).toISOString().slice(0, 10))),
  ): Promise<Verification['differences']> {
    const found = [];
    for (const day of days) {
      if (day >= TODAY) continue;
      const verification = app.nest.get(VerificationService);
      found.push(...(await verification.verify(utcDay(day), utcDay(day), this.org.id)).differences);
    }
    return found;
  }

  /** Changes one number of one fact; returns its day, or null when the organization has none. */
  async spoil(table: string, place: number): Promise<string | null> {
    const columns = await query<{ name: string }>(
      app.database.url,
      `SELECT column_name AS name FROM information_schema.columns
        WHERE table_name = $1 AND data_type IN ('integer', 'bigint', 'numeric', 'double precision')
          AND column_name NOT IN ('version', 'model_id', 'name_id') ORDER BY 1`,
      [table],
    );
    const column = columns[place % columns.length]?.name;
    const spoilt = await query<{ day: string }>(
      app.database.url,
      `UPDATE ${table} f SET ${column} = coalesce(f.${column}, 0) + 1 WHERE f.ctid = (
         SELECT x.ctid FROM ${table} x JOIN analytics_days d USING (org_id, day, version)
          WHERE x.org_id = $1 AND d.day < '${TODAY}' ORDER BY md5(x::text || $2) LIMIT 1) RETURNING f.day::text`,
      [this.org.id, `${place}`],
    );
    return spoilt[0]?.day ?? null;
  }
}

describe('analytics and a recount of the events', () => {
  it(
    'are the same, however events arrive and whenever days are computed',
    async () => {
      const isTheSame = fc.asyncProperty(history, async ({ drafts, steps }) => {
        const story = await Story.begin();
        const events = story.toEvents(drafts);
        for (const next of steps) await story.take(next, events);
        await story.send(events); // whatever has been left out; the rest once more
        await story.compare();
        expect(await story.differences()).toEqual([]);
        await story.compareLater();
      });
      await fc.assert(isTheSame, { seed: SEED, numRuns: RUNS });
    },
    120_000 + RUNS * 3_000,
  );

  it('are not the same when a single event is missing', async () => {
    const found = await fc.check(
      fc.asyncProperty(history, fc.nat(), async ({ drafts }, place) => {
        const story = await Story.begin();
        const events = story.toEvents(drafts);
        await story.send(events);
        const missing = events[place % events.length];
        fc.pre(missing !== undefined && !missing.at.startsWith(TODAY));
        const compare = story.compare(events.filter((event) => event !== missing));
        await expect(compare).rejects.toThrow();
      }),
      { seed: SEED, numRuns: isLong ? 8 : 2, endOnFailure: true },
    );
    expect(found.failed).toBe(false);
  }, 60_000);

  it('are not the same when a single number of a fact is wrong', async () => {
    const found = await fc.check(
      fc.asyncProperty(history, few(...FACT_TABLES), fc.nat(1000), async ({ drafts }, table, place) => {
        const story = await Story.begin();
        await story.send(story.toEvents(drafts));
        await aggregate(app);
        const day = await story.spoil(table, place);
        fc.pre(day !== null);
        expect(await story.differences(new Set([day]))).not.toEqual([]);
      }),
      { seed: SEED, numRuns: isLong ? 15 : 2, endOnFailure: true },
    );
    expect(found).toMatchObject({ failed: false });
  }, 60_000);
});
