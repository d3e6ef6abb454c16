import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** Sign-ins of browsers, and one-time links that lead to one; both by hash. And which sessions were opened in a browser. */
export class ConsoleSessions1769300000000 implements MigrationInterface {
  name = 'ConsoleSessions1769300000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE console_sessions (
        org_id       uuid NOT NULL,
        id           uuid NOT NULL,
        token_hash   bytea NOT NULL,
        user_id      uuid NOT NULL,
        method       text NOT NULL CHECK (method IN ('sso', 'key', 'link')),
        api_key_id   uuid,
        issuer       text,
        subject      text,
        sid          text,
        created_at   timestamptz(3) NOT NULL,
        last_seen_at timestamptz(3) NOT NULL,
        expires_at   timestamptz(3) NOT NULL,
        user_agent   text NOT NULL,
        PRIMARY KEY (org_id, id),
        UNIQUE (org_id, token_hash),
        FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id),
        FOREIGN KEY (org_id, api_key_id) REFERENCES api_keys (org_id, id) ON DELETE CASCADE
      )`);
    await db.query(`CREATE INDEX console_sessions_of_user ON console_sessions (org_id, user_id)`);
    await db.query(`CREATE INDEX console_sessions_of_key ON console_sessions (org_id, api_key_id)`);
    await db.query(`
      CREATE TABLE sign_in_links (
        org_id      uuid NOT NULL,
        id          uuid NOT NULL,
        secret_hash bytea NOT NULL,
        user_id     uuid NOT NULL,
        created_at  timestamptz(3) NOT NULL,
        expires_at  timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, id),
        UNIQUE (org_id, secret_hash),
        FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
      )`);
    await db.query(`CREATE INDEX sign_in_links_of_user ON sign_in_links (org_id, user_id)`);
    await enableRowLevelSecurity(db, 'console_sessions');
    await enableRowLevelSecurity(db, 'sign_in_links');
    await db.query(`ALTER TABLE sessions ADD COLUMN client text NOT NULL DEFAULT 'non-interactive-cli'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE sessions DROP COLUMN client`);
    await db.query(`DROP TABLE sign_in_links, console_sessions`);
  }
}
