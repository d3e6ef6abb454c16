import { SchedulerRegistry } from '@nestjs/schedule';
import { HOURLY_JOBS } from '../../src/database/hourly-jobs.js';
import { JobLedger } from '../../src/database/job-ledger.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const HOUR_MS = 3_600_000;
const JOB = 'session-retention';
const clock = new ManualClock('2026-11-15T08:41:00.000Z');
const log: string[] = [];
let first: TestApp;
let second: TestApp;

beforeAll(async () => {
  first = await TestApp.start({ clock, onLog: (line) => log.push(line) });
  second = await TestApp.start({ clock, database: first.database, onLog: (line) => log.push(line) });
});
beforeEach(async () => {
  log.length = 0;
  clock.set('2026-11-15T08:41:00.000Z');
  await query(first.database.url, 'TRUNCATE job_runs');
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

let runs = 0;
const work = () => {
  runs++;
  return Promise.resolve();
};
/** How often the work is done when all replicas are asked. */
async function runEverywhere(job = work): Promise<number> {
  runs = 0;
  await Promise.all([first, second, first].map(({ nest }) => nest.get(JobLedger).runHourly(JOB, job)));
  return runs;
}
const rows = () =>
  query(first.database.url, `SELECT r.job, r.slot, r.finished_at IS NOT NULL AS finished FROM job_runs r`);

describe('the job ledger', () => {
  it('lets one replica work in each hour', async () => {
    expect(await runEverywhere()).toBe(1);
    clock.set('2026-11-15T08:59:59.999Z');
    expect(await runEverywhere()).toBe(0);
    expect(await rows()).toEqual([{ job: JOB, slot: new Date('2026-11-15T08:00:00Z'), finished: true }]);
    clock.set('2026-11-15T09:00:00.000Z');
    expect(await runEverywhere()).toBe(1);
  });

  it('logs a run that fails, and runs the job again in the next hour only', async () => {
    const failing = () => {
      runs++;
      return Promise.reject(new Error('on purpose'));
    };
    expect(await runEverywhere(failing)).toBe(1);
    expect(
      log.filter((line) => line.includes(`Job ${JOB} of 2026-11-15T08:00:00.000Z failed: Error: on purpose`)),
    ).toHaveLength(1);
    expect(await rows()).toEqual([{ job: JOB, slot: new Date('2026-11-15T08:00:00Z'), finished: false }]);
    expect(await runEverywhere()).toBe(0);
    clock.advance(HOUR_MS);
    expect(await runEverywhere()).toBe(1);
  });

  it('is not taken over by the previous release while a run lasts', async () => {
    let taken: unknown[] = [];
    await runEverywhere(async () => {
      runs++;
      taken = await query(
        first.database.url,
        `INSERT INTO job_runs AS r (job, slot, lease_until) VALUES ($1, $2, $3)
         ON CONFLICT (job, slot) DO UPDATE SET attempts = r.attempts + 1, lease_until = excluded.lease_until
          WHERE r.finished_at IS NULL AND r.lease_until < $4 AND r.attempts < 5 RETURNING 1`,
        [JOB, '2026-11-15T08:00:00Z', '2026-11-15T09:30:00Z', '2026-11-15T08:59:00Z'],
      );
    });
    expect([runs, taken]).toEqual([1, []]);
  });

  it('deletes its own rows after a week, of all jobs', async () => {
    await query(
      first.database.url,
      `INSERT INTO job_runs (job, slot, lease_until) VALUES
         ('past', '2026-11-08T08:40:59Z', '2026-11-08T09:00:00Z'), ('kept', '2026-11-08T08:41:00Z', '2026-11-08T09:00:00Z')`,
    );
    await runEverywhere();
    expect(
      (await query<{ job: string }>(first.database.url, `SELECT r.job FROM job_runs r ORDER BY 1`)).map(
        ({ job }) => job,
      ),
    ).toEqual(['kept', JOB]);
  });

  it('has hourly jobs that start at different minutes', () => {
    const minutes: number[] = Object.values(HOURLY_JOBS);
    expect(new Set(minutes).size).toBe(minutes.length);
    const scheduled = [...first.nest.get(SchedulerRegistry).getCronJobs().values()].map(
      ({ cronTime }) => cronTime.source,
    );
    expect(scheduled).toEqual(expect.arrayContaining(minutes.map((minute) => `${minute} * * * *`)));
  });
});
