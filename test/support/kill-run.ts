import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/modules/demo/demo-random.js';
import { freePort } from './free-port.js';
import { Playground, type Program } from './program.js';
import { createTestDatabase, query } from './test-database.js';

export interface KillRunOptions {
  /** Kills of the service; the aggregation is killed about as often. */
  readonly kills: number;
  readonly seed: number;
  /** The program to kill, below `dist`. */
  readonly program?: string;
}

export interface KillRunResult {
  readonly acknowledged: number;
  /** Acknowledged events that are missing. */
  readonly lost: number;
  /** Stored events that were never sent. */
  readonly phantoms: number;
  /** Billable tokens in the month counter beyond those of the stored events. */
  readonly doubledTokens: number;
  readonly killedAggregations: number;
  /** Output of `verify` at the end. */
  readonly verification: string;
}

interface SentEvent {
  readonly id: string;
  readonly at: string;
}

const DAYS = [3, 2, 1].map((ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10));
const WRITERS = 3;
const BATCH = 40;

/** Kills ingest and aggregation repeatedly with SIGKILL while they work, then counts. */
export async function runWithKills({ kills, seed, program = 'main.js' }: KillRunOptions): Promise<KillRunResult> {
  const place = new Playground();
  const database = await createTestDatabase();
  const port = await freePort();
  const env = {
    DATABASE_URL: database.url,
    DATABASE_APP_ROLE: database.appRole,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const numbers = new Random('kills', `${seed}`);
  const random = () => numbers.next();
  const state = { isOver: false, acknowledged: new Map<string, SentEvent>(), sent: new Set<string>(), killed: 0 };
  const days = [`--from=${DAYS[0]}`, `--to=${DAYS.at(-1)}`];
  try {
    const founded = await place
      .program('cli.js', ['org', 'create', '--name=Kills', '--owner-email=o@example.com'], env)
      .ended();
    const key = /apk_\w+/.exec(founded.output)?.[0] ?? '';
    const start = async (): Promise<Program> => {
      const service = place.program(program, [], { ...env, PORT: `${port}`, LOG_FORMAT: 'json' });
      await service.ready();
      return service;
    };

    let service = await start();
    const writers = Array.from({ length: WRITERS }, () => write(`http://127.0.0.1:${port}`, key, random, state));
    const aggregations = killAggregations(() => place.program('cli.js', ['aggregate', ...days], env), random, state);
    for (let kill = 0; kill < kills; kill++) {
      await sleep(150 + random() * 700);
      service.signal('SIGKILL');
      await service.ended();
      service = await start();
    }
    state.isOver = true;
    await Promise.all([...writers, aggregations]);

    await place.program('cli.js', ['aggregate', ...days], env).ended();
    const verified = await place.program('cli.js', ['verify', ...days], env).ended();
    return { ...(await count(database.url, state)), killedAggregations: state.killed, verification: verified.output };
  } finally {
    state.isOver = true;
    await place.remove();
    await database.drop();
  }
}

type State = { isOver: boolean; acknowledged: Map<string, SentEvent>; sent: Set<string>; killed: number };

/** Sends batches, each until it is acknowledged. */
async function write(url: string, key: string, random: () => number, state: State): Promise<void> {
  while (!state.isOver) {
    const events = Array.from({ length: BATCH }, () => anyEvent(random));
    for (const { id } of events) state.sent.add(id);
    while (!(await isAcknowledged(url, key, events))) await sleep(50);
    for (const event of events) state.acknowledged.set(event.id, event);
  }
}

async function isAcknowledged(url: string, key: string, events: SentEvent[]): Promise<boolean> {
  try {
    const response = await fetch(`${url}/api/v1/ingest/events`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ events }),
    });
    return response.status === 200 && ((await response.json()) as { rejectedCount: number }).rejectedCount === 0;
  } catch {
    return false; // not running at the moment
  }
}

function anyEvent(random: () => number): SentEvent & Record<string, unknown> {
  const day = DAYS[Math.floor(random() * DAYS.length)];
  const event = {
    id: randomUUID(),
    at: new Date(Date.parse(`${day}T00:00:00Z`) + Math.floor(random() * 86_400_000)).toISOString(),
    sessionId: `s-${Math.floor(random() * 20)}`,
  };
  const kind = random();
  if (kind < 0.4) return { ...event, type: 'model_call', modelId: 'm', inputTokens: 100, outputTokens: 10 };
  if (kind < 0.7) return { ...event, type: 'tool_call', tool: `Tool${Math.floor(random() * 5)}` };
  return { ...event, type: 'user_message' };
}

async function killAggregations(start: () => Program, random: () => number, state: State): Promise<void> {
  while (!state.isOver) {
    await sleep(random() * 2_000);
    const aggregation = start();
    await Promise.race([aggregation.ended(), sleep(900 + random() * 1_200)]);
    aggregation.signal('SIGKILL');
    const { code } = await aggregation.ended();
    if (code === null) state.killed++;
  }
}

async function count(url: string, state: State): Promise<Omit<KillRunResult, 'killedAggregations' | 'verification'>> {
  const stored = await query<{ id: string }>(url, `SELECT e.id FROM events e`);
  const ids = new Set(stored.map(({ id }) => id));
  const [tokens] = await query<{ counted: number; stored: number }>(
    url,
    `SELECT (SELECT coalesce(sum(u.billable_tokens), 0)::float8 FROM user_month_usage u) AS counted,
            (SELECT coalesce(sum(e.billable_tokens), 0)::float8 FROM events e) AS stored`,
  );
  return {
    acknowledged: state.acknowledged.size,
    lost: [...state.acknowledged.keys()].filter((id) => !ids.has(id)).length,
    phantoms: [...ids].filter((id) => !state.sent.has(id)).length,
    doubledTokens: (tokens?.counted ?? 0) - (tokens?.stored ?? 0),
  };
}
