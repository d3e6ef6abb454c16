import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** Usage events as they arrive, and what the daily aggregation makes of them. */
export class UsageEventsAndDayDocuments1768608000000 implements MigrationInterface {
  name = 'UsageEventsAndDayDocuments1768608000000';

  async up(db: QueryRunner): Promise<void> {
    // Names are numbers in events: rows are smaller and scans faster. The hash is the key because a name can be longer
    // than an index entry.
    await db.query(`CREATE SEQUENCE event_name_ids AS integer`);
    await db.query(`
      CREATE TABLE event_names (
        org_id    uuid NOT NULL,
        id        integer NOT NULL DEFAULT nextval('event_name_ids'),
        kind      smallint NOT NULL,
        name      text NOT NULL,
        folded    text NOT NULL,
        name_hash bytea NOT NULL,
        PRIMARY KEY (org_id, id),
        UNIQUE (org_id, kind, name_hash)
      )`);

    // Columns that are never null come first, where Postgres finds them without counting.
    // One partition per UTC day, each with a unique index on (org_id, id); see EventPartitions.
    await db.query(`
      CREATE TABLE events (
        at                 timestamptz(3) NOT NULL,
        org_id             uuid NOT NULL,
        user_id            uuid NOT NULL,
        id                 uuid NOT NULL,
        kind               smallint NOT NULL,
        client             smallint NOT NULL,
        session_id         uuid,
        name_id            integer,
        detail_id          integer,
        autonomy           smallint,
        tier               smallint,
        input_tokens       integer,
        output_tokens      integer,
        cache_read_tokens  integer,
        cache_write_tokens integer,
        billable_tokens    bigint
      ) PARTITION BY RANGE (at)`);
    await db.query(`
      CREATE TABLE event_days (
        day        date PRIMARY KEY,
        dropped_at timestamptz(3)
      )`);

    await db.query(`
      CREATE TABLE session_clients (
        org_id     uuid NOT NULL,
        user_id    uuid NOT NULL,
        session_id uuid NOT NULL,
        client     smallint NOT NULL,
        seen_on    date NOT NULL,
        PRIMARY KEY (org_id, user_id, session_id)
      )`);
    await db.query(`CREATE INDEX session_clients_by_age ON session_clients USING brin (seen_on)`);

    // Append-only: a unique row for each (organization, day) would make concurrent writers wait for each other.
    await db.query(`
      CREATE TABLE dirty_days (
        org_id uuid NOT NULL,
        day    date NOT NULL,
        mark   uuid NOT NULL DEFAULT gen_random_uuid(),
        events integer NOT NULL,
        PRIMARY KEY (org_id, day, mark)
      )`);

    await db.query(`
      CREATE TABLE aggregation_claims (
        org_id      uuid PRIMARY KEY,
        holder      uuid NOT NULL,
        lease_until timestamptz(3) NOT NULL
      )`);

    await db.query(`CREATE SEQUENCE analytics_versions`);
    await db.query(`
      CREATE TABLE analytics_days (
        org_id             uuid NOT NULL,
        day                date NOT NULL,
        version            bigint,
        activity_version   bigint NOT NULL,
        computed_at        timestamptz(3) NOT NULL,
        daily_users        integer NOT NULL DEFAULT 0,
        weekly_users       integer NOT NULL DEFAULT 0,
        monthly_users      integer NOT NULL DEFAULT 0,
        terminal_ui_users  integer NOT NULL DEFAULT 0,
        web_users          integer NOT NULL DEFAULT 0,
        headless_users     integer NOT NULL DEFAULT 0,
        sessions           integer NOT NULL DEFAULT 0,
        user_messages      bigint NOT NULL DEFAULT 0,
        assistant_messages bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (org_id, day)
      )`);
    await db.query(`
      CREATE TABLE day_documents (
        org_id        uuid NOT NULL,
        kind          smallint NOT NULL,
        day           date NOT NULL,
        version       bigint NOT NULL,
        stored_bytes  integer NOT NULL,
        body          text,
        fragment      bytea,
        plain_bytes   bigint,
        plain_crc     bigint,
        PRIMARY KEY (org_id, kind, day, version)
      )`);
    // Compressed already: Postgres need not try again.
    await db.query(`ALTER TABLE day_documents ALTER fragment SET STORAGE EXTERNAL`);
    await db.query(`
      CREATE TABLE user_days (
        org_id        uuid NOT NULL,
        user_id       uuid NOT NULL,
        day           date NOT NULL,
        version       bigint NOT NULL,
        body          text NOT NULL,
        PRIMARY KEY (org_id, user_id, day, version)
      )`);
    await db.query(`CREATE INDEX user_days_of_day ON user_days (org_id, day, version, user_id)`);
    await db.query(`
      CREATE TABLE superseded_days (
        org_id        uuid NOT NULL,
        day           date NOT NULL,
        version       bigint NOT NULL,
        superseded_at timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, day, version)
      )`);

    for (const table of TENANT_TABLES) await enableRowLevelSecurity(db, table);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE ${TENANT_TABLES.join(', ')}, event_days`);
    await db.query(`DROP SEQUENCE event_name_ids, analytics_versions`);
  }
}

const TENANT_TABLES = [
  'event_names',
  'events',
  'session_clients',
  'dirty_days',
  'aggregation_claims',
  'analytics_days',
  'day_documents',
  'user_days',
  'superseded_days',
];
