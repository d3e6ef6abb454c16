import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUTONOMY_CODE, EVENT_KIND } from '../../src/modules/ingest/event-codes.js';
import { eventually } from './eventually.js';
import type { GivenUser } from './given.js';
import { givenMessage, type GivenSession, SESSIONS, storedSession } from './given-session.js';
import { Playground, type Program } from './program.js';
import type { TestApp } from './test-app.js';
import { query } from './test-database.js';

const SLOW_MS = 25_000;

export interface ClientOptions {
  readonly url?: string;
  readonly key?: string;
  /** Further options of `connect`. */
  readonly args?: readonly string[];
  /** Default: the built-in agent. */
  readonly command?: readonly string[];
  readonly env?: Record<string, string>;
}

/** A message as the API returns it. */
export interface ToldMessage {
  readonly id: string;
  readonly role: string;
  readonly content: { readonly type: string; readonly text?: string; readonly [field: string]: unknown }[];
  readonly parentId?: string;
  readonly isError?: boolean;
  readonly visibility?: string;
}

/** Runs the built agent client, with its own home and working directory. */
export class AgentMachine {
  readonly name = `box-${randomBytes(4).toString('hex')}`;
  private readonly place = new Playground();
  private computerId: string | null = null;

  constructor(
    private readonly app: TestApp,
    readonly user: GivenUser,
  ) {}

  get directory(): string {
    return this.place.directory;
  }

  get home(): string {
    return join(this.directory, 'home');
  }

  get work(): string {
    return join(this.directory, 'work');
  }

  run(args: readonly string[], env: Record<string, string> = {}): Program {
    const own = { HOME: this.directory, AGENT_PLATFORM_HOME: this.home };
    return this.place.program('agent/main.js', [...args], { ...own, ...env });
  }

  start({ url = this.app.url, key = this.user.key, args = [], command = [], env = {} }: ClientOptions = {}): Program {
    const options = [`--url=${url}`, `--name=${this.name}`, `--dir=${this.work}`, ...args];
    return this.run(['connect', ...options, '--', ...command], { AGENT_PLATFORM_KEY: key, ...env });
  }

  async connected(options?: ClientOptions): Promise<Program> {
    const client = this.start(options);
    await client.printed(/Connected as/, SLOW_MS);
    return client;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a body, as in ApiClient
  async computer(): Promise<any> {
    return (await this.app.as(this.user).get(`/api/v0/computers/name/${this.name}`)).body;
  }

  async session(sessionSettings: object = {}): Promise<GivenSession> {
    this.computerId ??= (await this.computer()).id as string;
    const computerId = this.computerId;
    const { status, body } = await this.app.as(this.user).post(SESSIONS, { computerId, sessionSettings });
    if (status !== 201) throw new Error(`The session was refused: ${status} ${JSON.stringify(body)}`);
    const id = body.sessionId as string;
    return { orgId: this.user.orgId, user: this.user, id, computerId, path: `${SESSIONS}/${id}` };
  }

  say(session: GivenSession, text: string): Promise<string> {
    return givenMessage(this.app, session, text);
  }

  /** Posts a message, waits for the end of its turn and returns the answer. */
  async ask(session: GivenSession, text: string): Promise<ToldMessage[]> {
    const messageId = await this.say(session, text);
    await this.idle(session);
    return (await this.messages(session)).filter(({ parentId }) => parentId === messageId);
  }

  async idle(session: GivenSession, timeoutMs = SLOW_MS): Promise<void> {
    const isIdle = async () => (await this.app.as(this.user).get(session.path)).body.status === 'idle';
    await eventually('the session is idle', isIdle, timeoutMs);
  }

  async messages(session: GivenSession): Promise<ToldMessage[]> {
    const { body } = await this.app.as(this.user).get(`${session.path}/messages?limit=100`);
    return (body.messages as ToldMessage[]).reverse();
  }

  async working(session: GivenSession): Promise<void> {
    const isRunning = async () => (await this.turns(session)).includes('running');
    await eventually('a turn runs', isRunning, SLOW_MS);
    await eventually('its agent was started', () => existsSync(this.pathOf(session)), SLOW_MS);
  }

  /** State and outcome of each turn, oldest first. */
  async turns(session: GivenSession): Promise<string[]> {
    return (await storedSession(this.app, session)).turns;
  }

  /** Usage beyond what the service itself records, ordered by kind: model calls, tool calls, ... */
  async usage(session: GivenSession): Promise<Record<string, unknown>[]> {
    const own = [EVENT_KIND.session_started, EVENT_KIND.user_message, EVENT_KIND.assistant_message];
    const rows = await query<{ kind: number; name: string | null; autonomy: number | null; tokens: (number | null)[] }>(
      this.app.database.url,
      `SELECT e.kind, n.name, e.autonomy,
              ARRAY[e.input_tokens, e.output_tokens, e.cache_read_tokens, e.cache_write_tokens] AS tokens
         FROM events e LEFT JOIN event_names n ON n.org_id = e.org_id AND n.id = e.name_id
        WHERE e.session_id = $1 AND e.kind <> ALL ($2) ORDER BY e.kind, e.at, e.id`,
      [session.id, own],
    );
    return rows.map(({ kind, name, autonomy, tokens }) => ({
      type: nameOf(EVENT_KIND, kind),
      ...(name === null ? {} : { name }),
      ...(autonomy === null ? {} : { autonomy: nameOf(AUTONOMY_CODE, autonomy) }),
      ...(tokens[0] === null ? {} : { tokens }),
    }));
  }

  /** Event, matcher and command of each recorded hook run. */
  async hookRuns(session: GivenSession): Promise<string[][]> {
    const runs = (await this.usage(session)).filter(({ type }) => type === 'hook_run');
    return runs.map(({ name }) => JSON.parse(String(name)) as string[]);
  }

  /** Strings are written as they are. */
  settings(content: object | string): void {
    mkdirSync(this.home, { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(this.home, 'settings.json'), text);
  }

  pathOf(session: GivenSession, ...names: string[]): string {
    return join(this.work, session.id, ...names);
  }

  /** What has not been sent to the service yet, file by file. */
  outbox(): string[] {
    const computers = join(this.home, 'computers');
    return readdirSync(computers).flatMap((computer) => {
      const directory = join(computers, computer, 'outbox');
      return readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    });
  }

  remove(): Promise<void> {
    return this.place.remove();
  }
}

export function textOf(messages: readonly ToldMessage[]): string {
  return messages.flatMap(({ content }) => content.map(({ text = '' }) => text)).join('');
}

function nameOf(codes: Readonly<Record<string, number>>, code: number): string {
  return Object.entries(codes).find(([, own]) => own === code)?.[0] ?? String(code);
}
