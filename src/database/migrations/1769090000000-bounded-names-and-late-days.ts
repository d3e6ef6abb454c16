import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** For how long a previous release may write beside this one without its names being deleted too early. */
const ROLLING_UPGRADE_DAYS = 7;

/** How many names a day may have, when a name is no longer used, and when a day was computed and may be again. */
export class BoundedNamesAndLateDays1769090000000 implements MigrationInterface {
  name = 'BoundedNamesAndLateDays1769090000000';

  async up(db: QueryRunner): Promise<void> {
    // The last day with an event that has the name. A previous release does not keep it up, so names that exist, and those
    // that are made while it may still run, count as used for some days more: the default is a fixed day, not an age.
    const [used] = (await db.query(`
      SELECT ((now() AT TIME ZONE 'UTC')::date + ${ROLLING_UPGRADE_DAYS})::text AS until
       WHERE EXISTS (SELECT FROM event_names)`)) as { until: string }[];
    await db.query(`ALTER TABLE event_names ADD COLUMN last_day date NOT NULL DEFAULT '${used?.until ?? '-infinity'}'`);
    await db.query(`CREATE INDEX event_names_by_age ON event_names (last_day)`);

    // Ids of names count down from -1 in each organization. Those of previous releases are positive and from one sequence.
    await db.query(`
      CREATE TABLE event_name_counters (
        org_id  uuid PRIMARY KEY,
        last_id integer NOT NULL
      )`);
    // One row for each kind of name of a day: at most MAX_NAMES_PER_DAY ids.
    await db.query(`
      CREATE TABLE event_name_days (
        org_id   uuid NOT NULL,
        day      date NOT NULL,
        kind     smallint NOT NULL,
        name_ids integer[] NOT NULL DEFAULT '{}',
        PRIMARY KEY (org_id, day, kind)
      )`);

    // The last attempt to compute a day. Without a row: none since this table exists.
    await db.query(`
      CREATE TABLE day_computations (
        org_id     uuid NOT NULL,
        day        date NOT NULL,
        version    bigint,
        started_at timestamptz(3) NOT NULL,
        not_before timestamptz(3),
        failures   integer NOT NULL DEFAULT 0,
        failure    text,
        PRIMARY KEY (org_id, day)
      )`);
    for (const table of TENANT_TABLES) await enableRowLevelSecurity(db, table);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE ${TENANT_TABLES.join(', ')}`);
    await db.query(`ALTER TABLE event_names DROP COLUMN last_day`);
  }
}

const TENANT_TABLES = ['event_name_counters', 'event_name_days', 'day_computations'];
