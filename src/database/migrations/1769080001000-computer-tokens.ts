import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** Tokens of computers, looked up like API keys; and which secrets were released to which computer, by fingerprint. */
export class ComputerTokens1769080001000 implements MigrationInterface {
  name = 'ComputerTokens1769080001000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE computer_tokens (
        org_id      uuid NOT NULL,
        computer_id uuid NOT NULL,
        id          uuid NOT NULL,
        user_id     uuid NOT NULL,
        token_hash  bytea NOT NULL,
        created_at  timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, computer_id),
        UNIQUE (org_id, id),
        FOREIGN KEY (org_id, computer_id) REFERENCES computers (org_id, id) ON DELETE CASCADE,
        FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
      )`);
    await db.query(`CREATE INDEX computer_tokens_of_user ON computer_tokens (org_id, user_id)`);
    await db.query(`
      CREATE TABLE released_secrets (
        org_id      uuid NOT NULL,
        computer_id uuid NOT NULL,
        fingerprint bytea NOT NULL,
        released_at timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, computer_id, fingerprint),
        FOREIGN KEY (org_id, computer_id) REFERENCES computers (org_id, id) ON DELETE CASCADE
      )`);
    await enableRowLevelSecurity(db, 'computer_tokens');
    await enableRowLevelSecurity(db, 'released_secrets');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE released_secrets, computer_tokens`);
  }
}
