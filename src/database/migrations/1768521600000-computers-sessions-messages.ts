import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** Computers, the sessions that run on them, their messages, and the queue of turns that messages start. */
export class ComputersSessionsMessages1768521600000 implements MigrationInterface {
  name = 'ComputersSessionsMessages1768521600000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE computers (
        org_id             uuid NOT NULL,
        id                 uuid NOT NULL,
        name               text NOT NULL,
        name_key           text NOT NULL,
        provider_type      text NOT NULL CHECK (provider_type IN ('byom', 'managed')),
        hostname           text,
        remote_user        text,
        status             text NOT NULL CHECK (status IN ('provisioning', 'active', 'error')),
        provisioning_steps jsonb NOT NULL,
        registered_by      uuid NOT NULL,
        created_at         timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, id),
        UNIQUE (org_id, name_key),
        FOREIGN KEY (org_id, registered_by) REFERENCES users (org_id, id)
      )`);
    await db.query(`CREATE INDEX computers_by_creation ON computers (org_id, created_at, id)`);

    // A computer may be deleted while its sessions are kept: no foreign key.
    await db.query(`
      CREATE TABLE sessions (
        org_id                uuid NOT NULL,
        id                    uuid NOT NULL,
        user_id               uuid NOT NULL,
        computer_id           uuid NOT NULL,
        title                 text,
        status                text NOT NULL CHECK (status IN ('idle', 'pending', 'running')),
        settings              jsonb NOT NULL,
        message_count         integer NOT NULL DEFAULT 0,
        event_seq             bigint NOT NULL DEFAULT 0,
        input_tokens          bigint NOT NULL DEFAULT 0,
        output_tokens         bigint NOT NULL DEFAULT 0,
        cache_creation_tokens bigint NOT NULL DEFAULT 0,
        cache_read_tokens     bigint NOT NULL DEFAULT 0,
        thinking_tokens       bigint NOT NULL DEFAULT 0,
        created_at            timestamptz(3) NOT NULL,
        updated_at            timestamptz(3) NOT NULL,
        completed_at          timestamptz(3),
        PRIMARY KEY (org_id, id),
        FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
      )`);
    await db.query(`CREATE INDEX sessions_of_user ON sessions (org_id, user_id, created_at, id)`);
    await db.query(`CREATE INDEX sessions_on_computer ON sessions (org_id, user_id, computer_id, created_at, id)`);
    await db.query(`CREATE INDEX sessions_by_change ON sessions (org_id, updated_at)`);

    await db.query(`
      CREATE TABLE messages (
        org_id     uuid NOT NULL,
        session_id uuid NOT NULL,
        id         uuid NOT NULL,
        seq        integer NOT NULL,
        user_id    uuid NOT NULL,
        role       text NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'system')),
        content    json NOT NULL,
        details    json NOT NULL DEFAULT '{}',
        search     tsvector NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        content_bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(content::text)) STORED,
        PRIMARY KEY (org_id, session_id, id),
        UNIQUE (org_id, session_id, seq),
        FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id) ON DELETE CASCADE
      )`);
    await db.query(`CREATE INDEX messages_by_role ON messages (org_id, session_id, role, seq)`);
    await db.query(`CREATE INDEX messages_of_user ON messages (org_id, user_id, created_at, id)`);

    await db.query(`
      CREATE TABLE turns (
        org_id      uuid NOT NULL,
        session_id  uuid NOT NULL,
        message_id  uuid NOT NULL,
        computer_id uuid NOT NULL,
        status      text NOT NULL CHECK (status IN ('queued', 'running', 'ended')),
        attempt     integer NOT NULL DEFAULT 0,
        lease_until timestamptz(3),
        created_at  timestamptz(3) NOT NULL,
        started_at  timestamptz(3),
        ended_at    timestamptz(3),
        end_reason  text,
        PRIMARY KEY (org_id, session_id, message_id),
        FOREIGN KEY (org_id, session_id, message_id) REFERENCES messages (org_id, session_id, id) ON DELETE CASCADE
      )`);
    await db.query(`CREATE INDEX turns_open ON turns (org_id, computer_id, created_at) WHERE status <> 'ended'`);

    await db.query(`
      CREATE TABLE session_events (
        org_id     uuid NOT NULL,
        session_id uuid NOT NULL,
        seq        bigint NOT NULL,
        type       text NOT NULL,
        message_id uuid,
        status     text,
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, session_id, seq),
        FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id) ON DELETE CASCADE
      )`);

    for (const table of ['computers', 'sessions', 'messages', 'turns', 'session_events']) {
      await enableRowLevelSecurity(db, table);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE session_events, turns, messages, sessions, computers`);
  }
}
