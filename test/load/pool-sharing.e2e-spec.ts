import { get, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { VerificationService } from '../../src/modules/analytics/verification/verification.service.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenTokenDocuments } from '../support/given-documents.js';
import { givenSession, SESSIONS } from '../support/given-session.js';
import { ANALYTICS, rawGet, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';
import { utcDay } from '../support/utc-day.js';

const POOL_SIZE = 4;
const BUSY = 'The service is busy: no database connection was free in time. Try again shortly.';
const REPORTS = '/api/organization/maturity-level-reports';
const PERIOD = { from: '2026-06-01', to: '2026-07-30' };
const RANGE = `startDate=${PERIOD.from}&endDate=${PERIOD.to}`;
const TOKENS = `${ANALYTICS}/tokens?${RANGE}`;
const GZIP = { 'Accept-Encoding': 'gzip' };

let app: TestApp;
let org: GivenOrganization;
let blocker: pg.Client;
/** The answer of `TOKENS`. */
let expected: Buffer;

beforeAll(async () => {
  const clock = new ManualClock('2026-07-31T08:00:00Z');
  app = await startUsageApp({ clock, env: { DATABASE_POOL_SIZE: String(POOL_SIZE) } });
  org = await app.given.organization();
  await givenTokenDocuments(app.database.url, org.id, { ...PERIOD, bytes: 20_000 });
  blocker = new pg.Client({ connectionString: app.database.url });
  await blocker.connect();
  expected = (await rawGet(app, org.owner, TOKENS, GZIP)).bytes;
});
afterAll(async () => {
  await blocker.end();
  await app.stop();
});

/** Makes every read of reports wait, each on a connection, while `work` runs. */
async function whileReportsAreLocked<T>(work: () => Promise<T>): Promise<T> {
  await blocker.query('BEGIN; LOCK TABLE readiness_reports IN ACCESS EXCLUSIVE MODE');
  try {
    return await work();
  } finally {
    await blocker.query('ROLLBACK');
  }
}

const waitingForLocks = async (count: number) => {
  const rows = await query<{ n: number }>(
    app.database.url,
    `SELECT count(*)::int AS n FROM pg_stat_activity a
      WHERE a.datname = current_database() AND a.wait_event_type = 'Lock'`,
  );
  return rows[0]?.n === count;
};

/** Users who are known to the service already: nothing has to be looked up to let them in. */
async function knownUsers(count: number): Promise<GivenUser[]> {
  const users = await Promise.all(Array.from({ length: count }, () => app.given.user(org)));
  for (const user of users) await app.as(user).get(`${SESSIONS}?limit=1`);
  return users;
}

function open(path: string, user: GivenUser): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${user.key}`, ...GZIP };
    get(app.url + path, { headers, agent: false }, resolve).once('error', reject);
  });
}

/** The first piece of an answer, which then waits to be read on. */
function begun(answer: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    answer.once('data', (chunk: Buffer) => {
      answer.pause();
      resolve(chunk);
    });
  });
}

async function rest(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('a caller who holds connections', () => {
  it('by waiting for locks holds half of them, and nobody else waits', async () => {
    const [ada, bob] = await knownUsers(2);
    if (!ada || !bob) throw new Error('no users');
    let told = 0;
    const statuses: number[] = [];
    const waiters = await whileReportsAreLocked(async () => {
      const waiters = Array.from({ length: 12 }, () =>
        app
          .as(ada)
          .get(REPORTS)
          .finally(() => told++),
      );
      await eventually('they wait', () => waitingForLocks(POOL_SIZE / 2));
      for (let i = 0; i < 20; i++) statuses.push((await app.as(bob).get(`${SESSIONS}?limit=1`)).status);
      expect(await waitingForLocks(POOL_SIZE / 2)).toBe(true);
      await eventually('those without a connection are told', () => told === 12 - POOL_SIZE / 2);
      return { all: waiters };
    });
    expect(statuses).toEqual(statuses.map(() => 200));
    const answers = await Promise.all(waiters.all);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(POOL_SIZE / 2);
    for (const { status, body, headers } of answers.filter(({ status }) => status !== 200)) {
      expect([status, body.detail, Number(headers['retry-after']) > 0]).toEqual([503, BUSY, true]);
    }
  });

  it('with a repeated Idempotency-Key holds half of them, and nobody else waits', async () => {
    const [ada, bob] = await knownUsers(2);
    if (!ada || !bob) throw new Error('no users');
    const session = await givenSession(app, ada);
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE', [session.id]);
    const post = () => app.as(ada).post(`${session.path}/messages`, { text: 'once' }, { 'Idempotency-Key': 'same' });
    const posts = Array.from({ length: 6 }, post);
    await eventually('they wait', () => waitingForLocks(POOL_SIZE / 2));
    const { status } = await app.as(bob).get(`${SESSIONS}?limit=1`);
    await blocker.query('ROLLBACK');
    expect(status).toBe(200);
    const answers = await Promise.all(posts);
    const ids = new Set(answers.filter((answer) => answer.status === 200).map(({ body }) => body.messageId));
    expect(ids.size).toBe(1);
  });
});

describe('while all connections are held', () => {
  it('a request that cannot begin is 503: busy, not away', async () => {
    const users = await knownUsers(3);
    const { status, body, headers } = await whileReportsAreLocked(async () => {
      for (const user of users.slice(1)) void app.as(user).get(REPORTS);
      for (const user of users.slice(1)) void app.as(user).get(REPORTS);
      await eventually('they wait', () => waitingForLocks(POOL_SIZE));
      return app.as(org.owner).get(`${ANALYTICS}/activity?${RANGE}`);
    });
    expect([status, body.detail, Number(headers['retry-after']) > 0]).toEqual([503, BUSY, true]);
  });

  it('an answer that has begun waits for a connection and is whole', async () => {
    const users = await knownUsers(2);
    // So large that most of it is still in the database when its reader pauses.
    const { id, owner } = await app.given.organization();
    await givenTokenDocuments(app.database.url, id, { ...PERIOD, bytes: 300_000 });
    const { bytes: large } = await rawGet(app, owner, TOKENS, GZIP);
    const answers = await Promise.all([open(TOKENS, owner), open(TOKENS, owner)]);
    const firsts = await Promise.all(answers.map(begun));
    const { bodies, waiters } = await whileReportsAreLocked(async () => {
      const waiters = users.flatMap((user) => [app.as(user).get(REPORTS), app.as(user).get(REPORTS)]);
      await eventually('they wait', () => waitingForLocks(POOL_SIZE));
      const bodies = answers.map(rest);
      // As long as somebody waits who has not begun.
      expect((await app.as(org.owner).get(`${SESSIONS}?limit=1`)).status).toBe(503);
      return { bodies, waiters };
    });
    const whole = (await Promise.all(bodies)).map((body, i) => Buffer.concat([firsts[i] ?? body, body]));
    await Promise.all(waiters);
    expect(whole.map((body) => body.equals(large))).toEqual([true, true]);
  });
});

describe('verification', () => {
  it('reads as many answers as it needs, and gives every one back', async () => {
    const verify = () => app.nest.get(VerificationService).verify(utcDay('2026-06-01'), utcDay('2026-06-04'), org.id);
    await verify();
    expect((await verify()).compared).toBe(4);
  });
});

describe('fifty of the widest analytics reads at once', () => {
  it('are whole or told to come back, and nobody waits behind them', async () => {
    const [ada] = await knownUsers(1);
    if (!ada) throw new Error('no user');
    let left = 50;
    const heavy = Array.from({ length: 50 }, async () => {
      const { status, bytes, headers } = await rawGet(app, org.owner, TOKENS, GZIP);
      left--;
      if (status === 200) return bytes.equals(expected) ? 'whole' : 'not whole';
      return `${status} ${JSON.parse(bytes.toString()).detail} ${Number(headers['retry-after']) > 0}`;
    });
    const cheap: number[] = [];
    while (left > 0) cheap.push((await app.as(ada).get(`${SESSIONS}?limit=1`)).status);
    const answers = await Promise.all(heavy);
    const refused = '503 Too many analytics answers are being made. Try again shortly. true';
    expect(answers.filter((answer) => answer !== 'whole' && answer !== refused)).toEqual([]);
    expect(answers.filter((answer) => answer === 'whole').length).toBeGreaterThan(10);
    expect(new Set(cheap)).toEqual(new Set([200]));
    expect(cheap.length).toBeGreaterThan(5); // they come and go while the others take turns
  });

  it('that are hung up on leave nothing behind', async () => {
    for (let round = 0; round < 2; round++) {
      const opened = Array.from({ length: 40 }, async (_, i) => {
        const answer = await open(TOKENS, org.owner);
        if (i % 2 === 0) await begun(answer);
        answer.destroy();
      });
      await Promise.all(opened);
    }
    const { status, bytes } = await rawGet(app, org.owner, TOKENS, GZIP);
    expect([status, bytes.equals(expected)]).toEqual([200, true]);
  });
});
