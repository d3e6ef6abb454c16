import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** What arrived through which agent, from which sources, and how much the agents claim to have sent. */
export class IntakeAndClaims1769215000000 implements MigrationInterface {
  name = 'IntakeAndClaims1769215000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE intake_days (
        org_id      uuid NOT NULL REFERENCES organizations (id),
        day         date NOT NULL,
        agent       text NOT NULL,
        terminal_ui bigint NOT NULL,
        web         bigint NOT NULL,
        headless    bigint NOT NULL,
        duplicates  bigint NOT NULL,
        rejected    bigint NOT NULL,
        ignored     bigint NOT NULL,
        changed_at  timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, day, agent)
      )`);
    await db.query(`
      CREATE TABLE telemetry_sources (
        org_id          uuid NOT NULL REFERENCES organizations (id),
        user_id         uuid NOT NULL,
        agent           text NOT NULL,
        version         text NOT NULL,
        first_seen_at   timestamptz(3) NOT NULL,
        last_seen_at    timestamptz(3) NOT NULL,
        counted         bigint NOT NULL,
        ignored         bigint NOT NULL,
        refused         bigint NOT NULL,
        refusal         text,
        last_refused_at timestamptz(3),
        PRIMARY KEY (org_id, user_id, agent, version)
      )`);
    // What one session (of agents that name none: one credential) says it sent on a day. `state` is read by the service alone.
    await db.query(`
      CREATE TABLE telemetry_claims (
        org_id  uuid NOT NULL REFERENCES organizations (id),
        day     date NOT NULL,
        agent   text NOT NULL,
        user_id uuid NOT NULL,
        key     uuid NOT NULL,
        state   jsonb NOT NULL,
        PRIMARY KEY (org_id, day, agent, user_id, key)
      )`);
    await db.query(`CREATE INDEX telemetry_claims_of_day ON telemetry_claims (day)`);
    // The sums of `telemetry_claims`. Numeric: claims are taken on trust, and their sum must not overflow.
    await db.query(`
      CREATE TABLE claim_days (
        org_id        uuid NOT NULL REFERENCES organizations (id),
        day           date NOT NULL,
        agent         text NOT NULL,
        numbered      numeric NOT NULL,
        numbered_seen numeric NOT NULL,
        claimed       numeric NOT NULL,
        claimed_seen  numeric NOT NULL,
        changed_at    timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, day, agent)
      )`);
    for (const table of TENANT_TABLES) await enableRowLevelSecurity(db, table);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE ${TENANT_TABLES.join(', ')}`);
  }
}

const TENANT_TABLES = ['intake_days', 'telemetry_sources', 'telemetry_claims', 'claim_days'];
