import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/**
 * A closed day as typed facts. Columns that may be null are unknown for days whose raw events were gone before there were
 * facts. `above` and `minute` are the price class of a call: the largest tier limit below its input tokens (0: none, -1:
 * unknown), and the minute of the UTC day with which its time window begins.
 */
export class Facts1769200000000 implements MigrationInterface {
  name = 'Facts1769200000000';

  async up(db: QueryRunner): Promise<void> {
    // `reported_cost`: what the agent says the call cost, in pico-dollars. `is_sum`: several calls in one event.
    await db.query(`
      ALTER TABLE events ADD COLUMN cache_write_1h_tokens integer, ADD COLUMN reported_cost bigint,
                         ADD COLUMN is_sum boolean`);
    await db.query(`
      CREATE TABLE user_facts (
        org_id                uuid NOT NULL,
        user_id               uuid NOT NULL,
        day                   date NOT NULL,
        version               bigint NOT NULL,
        billable_tokens       bigint NOT NULL,
        tool_calls            integer NOT NULL,
        mcp_calls             integer NOT NULL,
        skill_calls           integer NOT NULL,
        slash_commands        integer NOT NULL,
        hooks                 integer NOT NULL,
        user_messages         integer NOT NULL,
        assistant_messages    integer NOT NULL,
        sessions              integer NOT NULL,
        files_created         integer NOT NULL,
        files_edited          integer NOT NULL,
        git_commits           integer NOT NULL,
        git_prs_created       integer NOT NULL,
        clients               smallint,
        auto_high             integer,
        auto_medium           integer,
        auto_low              integer,
        spec                  integer,
        manual                integer,
        terminal_ui_events    integer,
        web_events            integer,
        headless_events       integer,
        session_tool_calls    integer[],
        session_user_messages integer[],
        name_ids              integer[],
        name_counts           integer[],
        email                 text,
        PRIMARY KEY (org_id, user_id, day, version)
      )`);
    await db.query(`CREATE INDEX user_facts_of_day ON user_facts (org_id, day, version, user_id)`);
    await db.query(`
      CREATE TABLE user_model_facts (
        org_id         uuid NOT NULL,
        user_id        uuid NOT NULL,
        day            date NOT NULL,
        version        bigint NOT NULL,
        model_id       integer NOT NULL,
        client         smallint NOT NULL,
        above          integer NOT NULL,
        minute         smallint NOT NULL,
        tier           smallint NOT NULL,
        ${TOKEN_COLUMNS},
        PRIMARY KEY (org_id, user_id, day, version, model_id, client, above, minute)
      )`);
    await db.query(`CREATE INDEX user_model_facts_of_day ON user_model_facts (org_id, day, version)`);
    await db.query(`
      CREATE TABLE day_facts (
        org_id             uuid NOT NULL,
        day                date NOT NULL,
        version            bigint NOT NULL,
        people             integer NOT NULL,
        billable_tokens    bigint NOT NULL,
        tool_calls         bigint NOT NULL,
        mcp_calls          bigint NOT NULL,
        skill_calls        bigint NOT NULL,
        slash_commands     bigint NOT NULL,
        hooks              bigint NOT NULL,
        user_messages      bigint NOT NULL,
        assistant_messages bigint NOT NULL,
        sessions           bigint NOT NULL,
        files_created      bigint NOT NULL,
        files_edited       bigint NOT NULL,
        git_commits        bigint NOT NULL,
        git_prs_created    bigint NOT NULL,
        mcp_people         integer NOT NULL,
        terminal_ui_people integer,
        web_people         integer,
        headless_people    integer,
        auto_high          bigint,
        auto_medium        bigint,
        auto_low           bigint,
        spec               bigint,
        manual             bigint,
        terminal_ui_events bigint,
        web_events         bigint,
        headless_events    bigint,
        autonomy_ratio_avg         double precision,
        autonomy_ratio_p50         double precision,
        autonomy_ratio_p90         double precision,
        tool_calls_per_session_avg double precision,
        user_turns_per_session_avg double precision,
        PRIMARY KEY (org_id, day, version)
      )`);
    await db.query(`
      CREATE TABLE day_model_facts (
        org_id         uuid NOT NULL,
        day            date NOT NULL,
        version        bigint NOT NULL,
        model_id       integer NOT NULL,
        client         smallint NOT NULL,
        above          integer NOT NULL,
        minute         smallint NOT NULL,
        tier           smallint NOT NULL,
        ${TOKEN_COLUMNS},
        PRIMARY KEY (org_id, day, version, model_id, client, above, minute)
      )`);
    await db.query(`
      CREATE TABLE name_facts (
        org_id  uuid NOT NULL,
        day     date NOT NULL,
        version bigint NOT NULL,
        name_id integer NOT NULL,
        kind    smallint NOT NULL,
        count   bigint NOT NULL,
        people  integer,
        PRIMARY KEY (org_id, day, version, name_id)
      )`);
    for (const table of TENANT_TABLES) await enableRowLevelSecurity(db, table);
    // The rules with which the facts of the current version were made; null: there are none yet.
    await db.query(`ALTER TABLE analytics_days ADD COLUMN fact_rules text`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE analytics_days DROP COLUMN fact_rules`);
    await db.query(`DROP TABLE ${TENANT_TABLES.join(', ')}`);
    await db.query(
      `ALTER TABLE events DROP COLUMN cache_write_1h_tokens, DROP COLUMN reported_cost, DROP COLUMN is_sum`,
    );
  }
}

const TENANT_TABLES = ['user_facts', 'user_model_facts', 'day_facts', 'day_model_facts', 'name_facts'];

/** `cache_write_1h` is part of `cache_write`; `reported_cost` in pico-dollars. */
const TOKEN_COLUMNS = `
        input          bigint NOT NULL,
        output         bigint NOT NULL,
        billable       bigint NOT NULL,
        calls          bigint,
        cache_read     bigint,
        cache_write    bigint,
        cache_write_1h bigint,
        reported_cost  numeric`;
