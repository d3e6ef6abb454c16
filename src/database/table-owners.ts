const ORGANIZATION = 'modules/organization';
const COMPUTERS = 'modules/computers';
const SESSIONS = 'modules/sessions';
const TURNS = 'modules/turns';
const MESSAGES = 'modules/messages';
const INGEST = 'modules/ingest';
const ANALYTICS = 'modules/analytics';
const TELEMETRY = 'modules/telemetry';

/** Who may touch a table with SQL. */
export interface TableOwner {
  /** The folder of src with the SQL that writes the table; others may run that SQL (`activityCtes`, `addMarks`, `takeMarks`). */
  readonly owner: string;
  /** Further folders whose SQL reads it, and why they do not ask the owner. */
  readonly readers?: Readonly<Record<string, string>>;
}

/** Every table of the schema, parents before those that refer to them. `test/integration/table-owners.spec.ts` compares this list with the SQL in src. */
export const TABLE_OWNERS: Readonly<Record<string, TableOwner>> = {
  organizations: {
    owner: ORGANIZATION,
    readers: { [ANALYTICS]: 'jobs over all organizations list the due ones in one statement' },
  },
  users: {
    owner: ORGANIZATION,
    readers: {
      [COMPUTERS]: 'locks the new owner of a computer in the transaction of the change',
      [SESSIONS]: 'the list of all sessions of an organization shows whose they are',
      [TURNS]: 'the audit row of a released secret has the address of its user, read in the transaction that writes it',
      [INGEST]: 'events name users by id or address, thousands a batch; ingest imports no module',
      [ANALYTICS]: 'figures carry the address that the user has when they are computed',
      [TELEMETRY]: 'sources are listed with the address that their user has now',
    },
  },
  user_identities: { owner: ORGANIZATION },
  api_keys: { owner: ORGANIZATION },
  api_key_directory: { owner: ORGANIZATION },
  computer_tokens: { owner: ORGANIZATION },
  console_sessions: { owner: ORGANIZATION },
  sign_in_links: { owner: ORGANIZATION },
  user_credit_limits: { owner: ORGANIZATION },
  user_month_usage: {
    owner: INGEST,
    readers: { [ORGANIZATION]: 'a limit is compared with what was used, in one statement before every message' },
  },
  teams: { owner: ORGANIZATION, readers: { [ANALYTICS]: 'figures by team show and find its name' } },
  team_members: { owner: ORGANIZATION, readers: { [ANALYTICS]: 'a figure of a day counts for the team of that day' } },
  team_changes: { owner: ORGANIZATION, readers: { [ANALYTICS]: 'answers by team are valid until teams change' } },
  organization_prices: {
    owner: ORGANIZATION,
    readers: { [ANALYTICS]: 'cost is computed with the prices of the organization; analytics imports no module of it' },
  },
  organization_settings: { owner: ORGANIZATION },
  enterprise_controls: { owner: ORGANIZATION },
  audit_log: { owner: ORGANIZATION },
  computers: {
    owner: COMPUTERS,
    readers: {
      [ORGANIZATION]: 'a computer token works only while its computer belongs to the same user',
      [SESSIONS]: 'the list of all sessions of an organization shows where they are',
      [TURNS]: 'a turn starts only for the connection that is the agent of its computer, in one statement',
    },
  },
  replicas: { owner: COMPUTERS },
  released_secrets: { owner: TURNS },
  sessions: {
    owner: SESSIONS,
    readers: {
      [COMPUTERS]: 'finds and locks the computer of a session in one round trip',
      [TURNS]: 'takes the next turn together with its session in one statement',
      [MESSAGES]: 'search joins the sessions of the caller',
    },
  },
  session_events: { owner: SESSIONS },
  messages: {
    owner: SESSIONS,
    readers: {
      [TURNS]: 'takes the next turn together with its message in one statement',
      [MESSAGES]: 'search reads the messages of the sessions it may see',
    },
  },
  turns: {
    owner: TURNS,
    readers: { [COMPUTERS]: 'presence counts the turns that run and wait on each computer, in one statement' },
  },
  events: { owner: INGEST, readers: { [ANALYTICS]: 'days are computed from raw events' } },
  event_days: { owner: INGEST, readers: { [ANALYTICS]: 'a day whose events are dropped is not computed again' } },
  event_names: {
    owner: INGEST,
    readers: {
      [ANALYTICS]: 'figures show names, events hold their numbers',
      [SESSIONS]: 'models that were used can be chosen for a session',
    },
  },
  event_name_counters: { owner: INGEST },
  event_name_days: { owner: INGEST },
  session_clients: { owner: INGEST },
  dirty_days: {
    owner: INGEST,
    readers: { [ANALYTICS]: 'marks say which days are due and which answers are preliminary' },
  },
  intake_days: { owner: INGEST, readers: { [ANALYTICS]: 'completeness of a range is one statement' } },
  telemetry_sources: { owner: TELEMETRY },
  telemetry_claims: { owner: TELEMETRY },
  claim_days: { owner: TELEMETRY, readers: { [ANALYTICS]: 'completeness of a range is one statement' } },
  aggregation_claims: { owner: ANALYTICS },
  day_computations: { owner: ANALYTICS },
  analytics_days: { owner: ANALYTICS },
  analytics_changes: { owner: ANALYTICS },
  day_documents: { owner: ANALYTICS },
  user_days: { owner: ANALYTICS },
  superseded_days: { owner: ANALYTICS },
  user_facts: { owner: ANALYTICS },
  user_model_facts: { owner: ANALYTICS },
  day_facts: { owner: ANALYTICS },
  day_model_facts: { owner: ANALYTICS },
  name_facts: { owner: ANALYTICS },
  readiness_reports: { owner: 'modules/readiness' },
  demo_fills: { owner: 'modules/demo' },
  idempotency_keys: { owner: 'idempotency' },
  job_runs: { owner: 'database' },
  schema_migrations: { owner: 'database' },
};
