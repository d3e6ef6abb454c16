import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RPC_ERROR, RpcError } from '../protocol/json-rpc.js';
import { type HelloResult, RELAY_PROTOCOL, turnKey, type TurnRef, type TurnStart } from '../protocol/relay-protocol.js';
import type { AgentHome } from './shared/agent-home.js';
import type { Log } from './shared/log.js';
import { deliver } from './relay/delivery.js';
import { Outbox, type OutboxEntry } from './relay/outbox.js';
import { RelayConnection } from './relay/relay-connection.js';
import { SessionRunner } from './session/session-runner.js';
import { SessionStore } from './session/session-store.js';
import { TurnRun } from './session/turn-run.js';

/** Grace period to flush the outbox on shutdown. */
const SHUTDOWN_FLUSH_MS = 5_000;
const NAME = 'agent-platform-agent';
const NOT_ALLOWED =
  'The client on this computer takes turns of the user who registered it only. They can start it with --allow organization.';

export interface AgentClientOptions {
  readonly computerId: string;
  readonly relayUrl: string;
  /** An API key of the user who registered the computer, or the computer's token. */
  readonly key: string;
  /** `me`: the user who registered the computer. */
  readonly allow: 'me' | 'organization';
  readonly home: AgentHome;
  /** Each session gets a subdirectory. */
  readonly dir: string;
  readonly command: readonly string[];
  /** Of agents and hooks. */
  readonly env: NodeJS.ProcessEnv;
  readonly slots: number;
  readonly idleMs: number;
  readonly version: string;
  readonly log: Log;
  /** For agents that tell more in their telemetry than over ACP. */
  readonly telemetry: { readonly url: string; readonly key: string } | null;
  /** Why sessions cannot run here; absent when they can. */
  readonly problem?: string;
}

/** Connects this machine as a computer of the organization and runs agents on its turns. */
export class AgentClient {
  private readonly outbox: Outbox;
  private readonly store: SessionStore;
  private readonly relay: RelayConnection;
  private readonly sessions = new Map<string, SessionRunner>();
  private heartbeat: NodeJS.Timeout | null = null;
  private clockOffsetMs = 0;
  /** User id; null until the service has sent it. */
  private registrant: string | null = null;
  private stopping: Promise<void> | null = null;
  /** Turns for the next client. Abandoned while this one is connected, they would be offered to it again. */
  private readonly leftTurns: TurnRef[] = [];

  constructor(private readonly options: AgentClientOptions) {
    const own = join(options.home.directory, 'computers', options.computerId);
    this.outbox = Outbox.open(join(own, 'outbox'));
    this.store = new SessionStore(join(own, 'sessions'));
    this.relay = new RelayConnection({
      url: options.relayUrl,
      key: options.key,
      log: options.log,
      hello: () => ({
        protocol: RELAY_PROTOCOL,
        agent: { name: NAME, version: options.version },
        hostname: hostname(),
        slots: options.slots,
        turns: this.heldTurns(),
        ...(options.problem === undefined ? {} : { problem: options.problem }),
      }),
      onWelcome: (welcome) => this.start(welcome),
      onDown: () => this.pause(),
      onTurn: (turn) => this.take(turn),
      onCancel: (turn) => this.cancel(turn),
    });
  }

  /** Runs until `stop` is called or the service dismisses the client. */
  async run(): Promise<void> {
    try {
      await this.relay.run();
    } finally {
      await this.stop();
      this.outbox.close();
    }
  }

  /** Ends all sessions, flushes the outbox and disconnects. */
  stop(): Promise<void> {
    this.stopping ??= this.endSessions();
    return this.stopping;
  }

  private async endSessions(): Promise<void> {
    this.leftTurns.push(...this.heldTurns());
    await Promise.all([...this.sessions.values()].map((session) => session.close('other')));
    if (this.relay.isConnected)
      await Promise.race([this.outbox.emptied(), sleep(SHUTDOWN_FLUSH_MS, undefined, { ref: false })]);
    this.relay.stop();
  }

  private start({ leaseSeconds, now, lostTurns, computer }: HelloResult): void {
    const { log, command, problem } = this.options;
    this.clockOffsetMs = now - Date.now();
    this.registrant = computer.registeredBy ?? null;
    for (const turn of lostTurns) this.cancel(turn);
    this.outbox.attach((entry) => this.deliver(entry));
    this.heartbeat = setInterval(() => void this.renew(), (leaseSeconds * 1000) / 3);
    log.info(`Connected as "${computer.name}"; sessions run ${command.join(' ')}.`);
    if (problem !== undefined) this.relay.stop();
  }

  private pause(): void {
    if (this.heartbeat) clearInterval(this.heartbeat);
    this.outbox.attach(null);
  }

  private take(turn: TurnStart): void {
    const run = new TurnRun(turn, this.outbox);
    if (this.stopping) this.leftTurns.push(run.ref);
    else if (!this.isAllowed(turn)) this.refuse(run);
    else this.sessionOf(turn.sessionId).start(run);
  }

  private isAllowed({ userId }: TurnStart): boolean {
    return this.options.allow === 'organization' || (userId !== undefined && userId === this.registrant);
  }

  private refuse(run: TurnRun): void {
    const { sessionId, userId } = run.start;
    this.options.log.warn(
      `Session ${sessionId}: a turn of ${userId ?? 'an unknown user'} was refused. To take turns of others, start with --allow organization.`,
    );
    run.end('error', run.message('assistant', NOT_ALLOWED, { isError: true }));
  }

  private sessionOf(sessionId: string): SessionRunner {
    const known = this.sessions.get(sessionId);
    if (known) return known;
    const { home, env, dir, command, log, idleMs } = this.options;
    const runner = new SessionRunner({
      sessionId,
      cwd: join(dir, sessionId),
      root: dir,
      home,
      env,
      command,
      log,
      idleMs,
      outbox: this.outbox,
      store: this.store,
      // The key is of the user who registered the computer: what it reports would count for them.
      telemetryOf: (userId) => (userId !== undefined && userId === this.registrant ? this.options.telemetry : null),
      now: () => Date.now() + this.clockOffsetMs,
      onClosed: (left) => this.restart(sessionId, left),
    });
    this.sessions.set(sessionId, runner);
    return runner;
  }

  /** Turns that arrived while the agent ended get a new one. */
  private restart(sessionId: string, left: TurnRun[]): void {
    this.sessions.delete(sessionId);
    if (!this.stopping) left.forEach((turn) => this.sessionOf(sessionId).start(turn));
  }

  private cancel(turn: TurnRef): void {
    void this.sessions.get(turn.sessionId)?.cancel(turn);
  }

  /** Turns that are running, have entries in the outbox, or are left to the next client. */
  private heldTurns(): TurnRef[] {
    const running = [...this.sessions.values()].flatMap((session) => session.turns);
    return [
      ...new Map(
        [...running, ...this.outbox.openTurns, ...this.leftTurns].map((turn) => [turnKey(turn), turn]),
      ).values(),
    ];
  }

  private async renew(): Promise<void> {
    const turns = this.heldTurns();
    if (turns.length === 0) return;
    try {
      const { lostTurns } = (await this.relay.call('turn.renew', { turns })) as { lostTurns: TurnRef[] };
      for (const turn of lostTurns) this.cancel(turn);
    } catch (error) {
      this.options.log.warn(`Turns could not be renewed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private deliver({ method, params }: OutboxEntry): Promise<void> {
    return deliver({
      call: () => this.relay.call(method, params),
      isConnected: () => this.relay.isConnected,
      onRefused: (error) => this.logRefusal(method, error),
    });
  }

  private logRefusal(method: string, error: unknown): void {
    if (error instanceof RpcError && error.code === RPC_ERROR.stale) return; // the service has reported it already
    this.options.log.warn(`The service refuses ${method}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
