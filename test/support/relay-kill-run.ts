import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_KIND } from '../../src/modules/ingest/event-codes.js';
import { findPostmaster } from '../../src/embedded-postgres/postmaster.js';
import { Random } from '../../src/modules/demo/demo-random.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { Playground, type Program } from './program.js';
import { TcpProxy } from './tcp-proxy.js';

/** What can fail while agents work. */
export const BLOWS = ['agent client', 'service', 'network', 'agent', 'database'] as const;
export type Blow = (typeof BLOWS)[number];

export interface RelayKillRunOptions {
  readonly blows: number;
  readonly seed: number;
  readonly kinds?: readonly Blow[];
}

/** The outcome for everything that was posted. */
export interface Ledger {
  readonly posted: number;
  /** Messages whose turn has not ended exactly once. */
  readonly withoutTurn: string[];
  /** Messages that were neither echoed nor answered with an error. */
  readonly unanswered: string[];
  /** Messages that were echoed more than once. */
  readonly repeated: string[];
  /** Sessions in which answers are not in the order of the messages. */
  readonly disordered: string[];
  /** Sessions whose counters do not match their content. */
  readonly miscounted: string[];
  readonly completed: number;
  readonly blows: Record<string, number>;
}

const SESSIONS = 3;
const LEASE_SECONDS = 2;

/** Runs service, database, agent client and agents as processes and makes them fail. */
export async function runWithBlows({ blows, seed, kinds = BLOWS }: RelayKillRunOptions): Promise<Ledger> {
  const place = new Playground();
  const port = await freePort();
  const random = new Random('relay kills', `${seed}`);
  const url = `http://127.0.0.1:${port}`;
  const proxy = await TcpProxy.start(url);
  const service = () => place.service({ PORT: `${port}`, TURN_LEASE_SECONDS: `${LEASE_SECONDS}` });
  const programs = new Programs(place, service, proxy);
  try {
    const key = await programs.startService();
    const api = new Api(url, key);
    programs.startAgent(key);
    const sessions = await api.openSessions(SESSIONS);
    const state = { isOver: false, posted: [] as Posted[] };
    const writers = sessions.map((sessionId) => post(api, sessionId, random, state));
    const struck: Record<string, number> = {};
    for (let i = 0; i < blows; i++) {
      await sleep(200 + random.next() * 900);
      const kind = kinds[i % kinds.length] ?? 'agent';
      struck[kind] = (struck[kind] ?? 0) + 1;
      await programs.strike(kind, key);
    }
    state.isOver = true;
    await Promise.all(writers);
    await eventually('all sessions are idle', () => api.areIdle(sessions), 120_000);
    return { ...(await count(place, state.posted)), blows: struck };
  } finally {
    await proxy.stop();
    await place.remove();
  }
}

interface Posted {
  readonly sessionId: string;
  readonly messageId: string;
  readonly text: string;
}

class Programs {
  private service: Program | null = null;
  private agent: Program | null = null;

  constructor(
    private readonly place: Playground,
    private readonly newService: () => Program,
    private readonly proxy: TcpProxy,
  ) {}

  /** Returns the key that a new installation prints. */
  async startService(): Promise<string> {
    this.service = this.newService();
    await this.service.ready(60_000);
    return /apk_\w+/.exec(this.service.output)?.[0] ?? '';
  }

  startAgent(key: string): void {
    const args = ['connect', `--url=${this.proxy.url.replace(/\/$/, '')}`, '--name=box', '--dir=work'];
    const env = { AGENT_PLATFORM_HOME: join(this.place.directory, 'home'), AGENT_PLATFORM_KEY: key };
    this.agent = this.place.program('agent/main.js', args, env);
  }

  async strike(kind: Blow, key: string): Promise<void> {
    switch (kind) {
      case 'network':
        this.proxy.cut();
        return;
      case 'agent':
        for (const pid of childrenOf(this.agent?.pid ?? 0)) kill(pid);
        return;
      case 'agent client':
        await this.end(this.agent);
        this.startAgent(key);
        return;
      case 'database':
        kill(findPostmaster(join(this.place.dataDir, 'postgres'))?.pid ?? 0);
        await sleep(300);
        await this.end(this.service);
        await this.startService();
        return;
      case 'service':
        await this.end(this.service);
        await this.startService();
    }
  }

  private async end(program: Program | null): Promise<void> {
    program?.signal('SIGKILL');
    await program?.ended();
  }
}

/** A client that retries until it succeeds. */
class Api {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  async openSessions(count: number): Promise<string[]> {
    const computer = await eventually(
      'the computer is registered',
      () => this.send('GET', '/computers/name/box'),
      30_000,
    );
    const sessions: string[] = [];
    for (let i = 0; i < count; i++) {
      const body = { computerId: computer.id, sessionSettings: { autonomyLevel: 'high' } };
      const session = await eventually('a session is opened', () => this.send('POST', '/sessions', body));
      sessions.push(session.sessionId as string);
    }
    return sessions;
  }

  async post(sessionId: string, text: string): Promise<string> {
    const idempotencyKey = randomUUID();
    const path = `/sessions/${sessionId}/messages`;
    const posted = await eventually(
      'the message is taken',
      () => this.send('POST', path, { text }, { 'Idempotency-Key': idempotencyKey }),
      60_000,
    );
    return posted.messageId as string;
  }

  async areIdle(sessions: string[]): Promise<boolean> {
    const states = await Promise.all(sessions.map((id) => this.send('GET', `/sessions/${id}`)));
    return states.every((session) => session?.status === 'idle');
  }

  /** null when the service does not answer or is not ready. */
  private async send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    try {
      const response = await fetch(`${this.url}/api/v0${path}`, {
        method,
        headers: { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json', ...headers },
        body: body ? JSON.stringify(body) : undefined,
        signal: AbortSignal.timeout(10_000),
      });
      return response.ok ? ((await response.json()) as Record<string, unknown>) : null;
    } catch {
      return null;
    }
  }
}

async function post(
  api: Api,
  sessionId: string,
  random: Random,
  state: { isOver: boolean; posted: Posted[] },
): Promise<void> {
  for (let i = 0; !state.isOver; i++) {
    const text = `${sessionId.slice(-6)} number ${i}`;
    const order = ['', '', 'sleep:0.3 ', 'tool:Look '][Math.floor(random.next() * 4)] ?? '';
    state.posted.push({ sessionId, text, messageId: await api.post(sessionId, order + text) });
    await sleep(random.next() * 400);
  }
}

interface StoredMessage {
  readonly sessionId: string;
  readonly role: string;
  readonly parentId: string | null;
  readonly isError: boolean;
  readonly text: string | null;
}

async function count(place: Playground, posted: Posted[]): Promise<Omit<Ledger, 'blows'>> {
  const db = await place.connect();
  try {
    const { rows: turns } = await db.query<{ messageId: string; status: string; reason: string }>(
      `SELECT t.message_id AS "messageId", t.status, t.end_reason AS reason FROM turns t`,
    );
    const { rows: messages } = await db.query<StoredMessage>(
      `SELECT m.session_id AS "sessionId", m.role, m.details ->> 'parentId' AS "parentId", m.content -> 0 ->> 'text' AS text,
              coalesce((m.details ->> 'isError')::boolean, false) AS "isError" FROM messages m ORDER BY m.session_id, m.seq`,
    );
    const { rows: miscounted } = await db.query<{ id: string }>(
      `SELECT s.id FROM sessions s
        WHERE s.message_count <> (SELECT count(*) FROM messages m WHERE m.session_id = s.id)
           OR (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.role IN ('user', 'assistant')) <>
              (SELECT count(*) FROM events e WHERE e.session_id = s.id AND e.kind = ANY ($1))`,
      [[EVENT_KIND.user_message, EVENT_KIND.assistant_message]],
    );
    const echoesOf = ({ messageId, text }: Posted) =>
      messages.filter((m) => m.role === 'assistant' && !m.isError && m.parentId === messageId && m.text === text);
    const isAnswered = (message: Posted) =>
      echoesOf(message).length > 0 || messages.some((m) => m.isError && m.parentId === message.messageId);
    return {
      posted: posted.length,
      withoutTurn: posted
        .filter(({ messageId }) => {
          const own = turns.filter((turn) => turn.messageId === messageId);
          return own.length !== 1 || own[0]?.status !== 'ended';
        })
        .map(({ text }) => text),
      unanswered: posted.filter((message) => !isAnswered(message)).map(({ text }) => text),
      repeated: posted.filter((message) => echoesOf(message).length > 1).map(({ text }) => text),
      disordered: disorderedSessions(posted, messages),
      miscounted: miscounted.map(({ id }) => id),
      completed: turns.filter(({ reason }) => reason === 'completed').length,
    };
  } finally {
    await db.end();
  }
}

function disorderedSessions(posted: Posted[], messages: StoredMessage[]): string[] {
  const placeOf = new Map(posted.map(({ messageId }, i) => [messageId, i]));
  return [...new Set(messages.map(({ sessionId }) => sessionId))].filter((sessionId) => {
    const answers = messages.filter((m) => m.sessionId === sessionId && m.parentId !== null && m.role === 'assistant');
    const places = answers.map(({ parentId }) => placeOf.get(parentId ?? '') ?? -1);
    return places.some((place, i) => place < (places[i - 1] ?? 0));
  });
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false;
      }
    });
}

function kill(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // it has already ended
  }
}
