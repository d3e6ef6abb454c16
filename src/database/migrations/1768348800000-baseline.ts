import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** Organizations, their people and credentials, and what every module shares. */
export class Baseline1768348800000 implements MigrationInterface {
  name = 'Baseline1768348800000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE organizations (
        id          uuid PRIMARY KEY,
        name        text NOT NULL,
        external_id text,
        created_at  timestamptz(3) NOT NULL
      )`);

    await db.query(`
      CREATE TABLE users (
        org_id          uuid NOT NULL REFERENCES organizations (id),
        id              uuid NOT NULL,
        email           text,
        email_key       text,
        role            text NOT NULL CHECK (role IN ('owner', 'manager', 'member', 'guest')),
        first_name      text NOT NULL DEFAULT '',
        last_name       text NOT NULL DEFAULT '',
        metadata        jsonb NOT NULL DEFAULT '{}',
        created_at      timestamptz(3) NOT NULL,
        deactivated_at  timestamptz(3),
        last_sign_in_at timestamptz(3),
        PRIMARY KEY (org_id, id),
        UNIQUE (org_id, email_key)
      )`);
    await db.query(`CREATE INDEX users_by_creation ON users (org_id, created_at, id) WHERE deactivated_at IS NULL`);

    await db.query(`
      CREATE TABLE user_identities (
        org_id     uuid NOT NULL,
        issuer     text NOT NULL,
        subject    text NOT NULL,
        user_id    uuid NOT NULL,
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, issuer, subject),
        FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
      )`);

    await db.query(`
      CREATE TABLE api_keys (
        org_id       uuid NOT NULL,
        id           uuid NOT NULL,
        user_id      uuid NOT NULL,
        name         text NOT NULL,
        prefix       text NOT NULL,
        key_hash     bytea NOT NULL,
        created_by   uuid NOT NULL,
        created_at   timestamptz(3) NOT NULL,
        expires_at   timestamptz(3),
        last_used_at timestamptz(3),
        PRIMARY KEY (org_id, id),
        FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
      )`);
    await db.query(`CREATE INDEX api_keys_by_creation ON api_keys (org_id, created_at, id)`);
    await db.query(`CREATE INDEX api_keys_of_user ON api_keys (org_id, user_id, created_at, id)`);

    // Finds the organization of a key before anything is known about the caller; no foreign key, so that it can be
    // distributed by its hash.
    await db.query(`
      CREATE TABLE api_key_directory (
        key_hash   bytea PRIMARY KEY,
        org_id     uuid NOT NULL,
        api_key_id uuid NOT NULL
      )`);

    await db.query(`
      CREATE TABLE user_credit_limits (
        org_id       uuid NOT NULL,
        user_id      uuid NOT NULL,
        limit_tokens bigint NOT NULL CHECK (limit_tokens >= 0),
        updated_at   timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, user_id),
        FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
      )`);

    await db.query(`
      CREATE TABLE user_month_usage (
        org_id          uuid NOT NULL,
        user_id         uuid NOT NULL,
        month           date NOT NULL,
        billable_tokens bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (org_id, user_id, month),
        FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
      )`);

    await db.query(`
      CREATE TABLE idempotency_keys (
        org_id     uuid NOT NULL,
        user_id    uuid NOT NULL,
        route      text NOT NULL,
        key        text NOT NULL,
        body_hash  bytea NOT NULL,
        response   json,
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, user_id, route, key),
        FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
      )`);
    await db.query(`CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)`);

    await db.query(`
      CREATE TABLE job_runs (
        job         text NOT NULL,
        slot        timestamptz(3) NOT NULL,
        attempts    integer NOT NULL DEFAULT 1,
        lease_until timestamptz(3) NOT NULL,
        finished_at timestamptz(3),
        PRIMARY KEY (job, slot)
      )`);

    await enableRowLevelSecurity(db, 'organizations', 'id');
    for (const table of [
      'users',
      'user_identities',
      'api_keys',
      'api_key_directory',
      'user_credit_limits',
      'user_month_usage',
      'idempotency_keys',
    ]) {
      await enableRowLevelSecurity(db, table);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE job_runs, idempotency_keys, user_month_usage, user_credit_limits, api_key_directory, api_keys,
                 user_identities, users, organizations`);
  }
}
