import { text } from 'node:stream/consumers';
import { AggregationClaimsRepository } from '../../src/modules/analytics/aggregation/aggregation-claims.repository.js';
import { AnalyticsCommands } from '../../src/modules/analytics/analytics-commands.js';
import { AnalyticsRange } from '../../src/modules/analytics/analytics-range.js';
import { AnalyticsService } from '../../src/modules/analytics/analytics.service.js';
import { VerificationRepository } from '../../src/modules/analytics/verification/verification.repository.js';
import {
  type Verification,
  VerificationService,
} from '../../src/modules/analytics/verification/verification.service.js';
import { EventPartitions } from '../../src/modules/ingest/event-partitions.js';
import { AggregationHistory } from '../support/aggregation-history.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { aggregate, event, modelCall } from '../support/given-usage.js';
import type { TestApp } from '../support/test-app.js';
import { utcDay } from '../support/utc-day.js';

const MINUTE_MS = 60_000;
const LONGEST_PAUSE_MS = 15 * MINUTE_MS;
const history = AggregationHistory.use();
const { clock, count, givenUser, isRecounted, rebuild, send, sql, storedDays, tidy } = history;
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;
beforeEach(() => {
  ({ app, org, owner } = history);
});

describe('verification', () => {
  const day = '2026-05-31';
  const verify = () => app.nest.get(VerificationService).verify(utcDay(day), utcDay(day), org.id);

  /** Does `meanwhile` once, between what is served and its recount. */
  async function verifyWhile(meanwhile: () => Promise<unknown>): Promise<Verification> {
    const recounts = app.nest.get(VerificationRepository);
    const recount = recounts.recount.bind(recounts);
    recounts.recount = async (...asked) => {
      recounts.recount = recount;
      await meanwhile();
      return recount(...asked);
    };
    return verify();
  }

  beforeEach(async () => {
    await send(modelCall(owner, day), event(owner, 'user_message', day));
    await aggregate(app);
  });

  it('gives no false alarm while late events arrive', async () => {
    const late = async (of = day) => send(event(await givenUser(), 'git_commit', of));
    expect(await verifyWhile(() => late())).toMatchObject({ compared: 0, pending: 1, differences: [] });
    expect(await verify()).toMatchObject({ compared: 0, pending: 1, differences: [] });
    await aggregate(app);
    clock.advance(LONGEST_PAUSE_MS);
    const arrivesAndIsComputed = () => late().then(() => aggregate(app));
    expect(await verifyWhile(arrivesAndIsComputed)).toMatchObject({ compared: 1, pending: 0, differences: [] });
    // Those of an earlier day count in the monthly users only.
    await send(event(owner, 'git_commit', '2026-05-20'));
    await aggregate(app);
    expect(await verifyWhile(() => late('2026-05-20'))).toMatchObject({ compared: 1, pending: 0, differences: [] });
  });

  it('still finds what is wrong, beyond 2^53 as well, and which days could not be compared', async () => {
    await sql(`UPDATE events SET billable_tokens = 9007199254740993 WHERE org_id = $1 AND kind = 1`);
    await rebuild(day);
    expect(await verify()).toMatchObject({ compared: 1, pending: 0, differences: [] });
    await sql(`UPDATE events SET billable_tokens = billable_tokens - 1 WHERE org_id = $1 AND kind = 1`);
    const { differences } = await verify();
    expect(differences).toContainEqual(
      expect.objectContaining({ path: 'billable_tokens', served: 9007199254740993n, recounted: 9007199254740992n }),
    );
    const options = { from: day, to: day, orgId: org.id };
    const command = app.nest.get(AnalyticsCommands).verify(options, () => undefined);
    await expect(command).rejects.toThrow('billable_tokens: served 9007199254740993, recounted 9007199254740992');
  });
});

describe('a frozen day', () => {
  it('is never touched again, whoever asks for it', async () => {
    const [frozen, next] = ['2026-03-10', '2026-03-11'];
    await send(modelCall(owner, frozen), modelCall(owner, next), event(await givenUser(), 'git_commit', frozen));
    await aggregate(app);
    const before = await storedDays();
    expect(await app.nest.get(EventPartitions).drop(frozen)).toBe(true);
    expect(await rebuild(frozen)).toBe(false);
    await sql(`INSERT INTO dirty_days (org_id, day, events) VALUES ($1, '${frozen}', 1)`);
    await aggregate(app);
    expect(await storedDays()).toEqual(before);
    expect(await count('dirty_days')).toBe(0);
    await send(modelCall(owner, next));
    await aggregate(app);
    await isRecounted(frozen, next);
  });

  it('is whole even when it is frozen while it is being computed', async () => {
    await send(modelCall(owner, '2026-03-12'));
    await aggregate(app);
    const before = await storedDays();
    const claims = app.nest.get(AggregationClaimsRepository);
    const listFrozenDays = claims.listFrozenDays.bind(claims);
    claims.listFrozenDays = async () => {
      await app.nest.get(EventPartitions).drop('2026-03-12');
      return new Set();
    };
    await rebuild('2026-03-12');
    claims.listFrozenDays = listFrozenDays;
    expect(await storedDays()).toEqual(before);
  });

  it('is not frozen before its last events are in the figures', async () => {
    await send(modelCall(owner, '2026-03-13'));
    expect(await app.nest.get(EventPartitions).drop('2026-03-13')).toBe(false);
    await isRecounted('2026-03-13', '2026-03-13');
    expect(await app.nest.get(EventPartitions).drop('2026-03-13')).toBe(true);
    await isRecounted('2026-03-13', '2026-03-13');
  });
});

describe('tidying up', () => {
  it('keeps what was replaced for ten minutes, then deletes it and nothing else', async () => {
    await send(modelCall(owner, '2026-05-30'), modelCall(owner, '2026-05-31'));
    await aggregate(app);
    const kept = { documents: await count('day_documents'), users: await count('user_days') };
    await rebuild('2026-05-31');
    await rebuild('2026-05-31');
    clock.advance(10 * MINUTE_MS);
    await tidy();
    expect(await count('superseded_days')).toBe(2);
    expect(await count('user_days')).toBe(4);
    clock.advance(1);
    await tidy();
    expect(await count('superseded_days')).toBe(0);
    expect({ documents: await count('day_documents'), users: await count('user_days') }).toEqual(kept);
    await isRecounted('2026-05-30', '2026-05-31');
  });

  it('lets those who began to read finish with what they began with', async () => {
    const days = ['2026-05-29', '2026-05-30', '2026-05-31'];
    await send(...days.map((day) => modelCall(owner, day)));
    await aggregate(app);
    await sql(`UPDATE day_documents SET stored_bytes = 2000000 WHERE org_id = $1`); // a day at a time
    const dates = { startDate: '2026-05-29', endDate: '2026-05-31' };
    const range = AnalyticsRange.of(dates, { today: utcDay('2026-06-01'), firstDay: utcDay('2026-01-14') });
    const format = { name: 'json' as const, isGzipped: false };
    const read = async () =>
      (await app.nest.get(AnalyticsService).report({ orgId: org.id } as never, 'tokens', { range, format })).body();
    const before = await text(await read());
    const reader = (await read())[Symbol.asyncIterator]();
    const begun = [await reader.next(), await reader.next()];
    await send(...days.map((day) => modelCall(owner, day)));
    await aggregate(app);
    clock.advance(9 * MINUTE_MS);
    await tidy();
    const chunks = begun.map(({ value }) => String(value));
    for (let next = await reader.next(); !next.done; next = await reader.next()) chunks.push(String(next.value));
    expect(chunks.join('')).toBe(before);
    expect(await text(await read())).not.toBe(before);
  });

  it('puts the marks of days that are not over together', async () => {
    for (let i = 0; i < 3; i++) await send(event(owner, 'git_commit', '2026-06-01T07:00:00.000Z'));
    await send(event(owner, 'git_commit', '2026-05-31'));
    expect(await count('dirty_days')).toBe(4);
    await tidy();
    const merged = await sql(`SELECT mark FROM dirty_days WHERE org_id = $1 ORDER BY mark`);
    await tidy();
    expect(await sql(`SELECT mark FROM dirty_days WHERE org_id = $1 ORDER BY mark`)).toEqual(merged);
    const marks = await sql(`SELECT day::text, events FROM dirty_days WHERE org_id = $1 ORDER BY day`);
    expect(marks).toEqual([
      { day: '2026-05-31', events: 1 },
      { day: '2026-06-01', events: 3 },
    ]);
    clock.set('2026-06-02T00:00:00.000Z');
    expect(await aggregate(app)).toBe(2);
    await isRecounted('2026-05-31', '2026-06-01');
  });
});
