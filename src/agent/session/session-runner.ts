import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ContentBlock,
  type EndReason,
  type RelayMessage,
  turnKey,
  type TurnRef,
  type UsageReport,
} from '../../protocol/relay-protocol.js';
import { AcpDriver } from '../acp/acp-driver.js';
import {
  type AgentDriver,
  AgentExited,
  type PermissionRequest,
  type SessionUpdate,
  type StopReason,
} from '../acp/agent-driver.js';
import { type AgentLaunch, askingLaunch } from '../acp/asking-agents.js';
import { type SessionTelemetry, telemetryLaunch } from '../acp/telemetry-launch.js';
import type { Outbox } from '../relay/outbox.js';
import { AskingRecord } from '../shared/asking-record.js';
import { ChangeWatch } from './change-watch.js';
import { type Decision, decide } from './permissions.js';
import { SessionPlace } from './session-place.js';
import { SessionHooks, type SessionHooksOptions } from './session-hooks.js';
import type { SessionStore } from './session-store.js';
import type { ToolCall } from './tool-calls.js';
import { TurnRun } from './turn-run.js';
import { explainUnasked } from './unasked-change.js';
import { reportsOfPrompt, reportsOfText, reportsOfToolCall } from './usage-log.js';

const CANCEL_TIMEOUT_MS = 10_000;
const WAITING_MS = 60_000;
/** How often a Stop hook may refuse to let the agent stop. */
const MAX_REFUSED_STOPS = 10;

const END_REASON: Record<StopReason, EndReason> = {
  end_turn: 'completed',
  max_tokens: 'max_tokens',
  max_turn_requests: 'max_turn_requests',
  refusal: 'refused',
  cancelled: 'cancelled',
};

export interface SessionRunnerOptions extends Omit<SessionHooksOptions, 'report'> {
  readonly command: readonly string[];
  readonly outbox: Outbox;
  readonly store: SessionStore;
  /** For the agent's own telemetry in turns of this user; null: its tokens are counted over ACP. */
  readonly telemetryOf: (userId: string | undefined) => Omit<SessionTelemetry, 'sessionId'> | null;
  /** An idle agent is ended after this. */
  readonly idleMs: number;
  /** The agent has ended; the remaining turns need a new runner. */
  readonly onClosed: (left: TurnRun[]) => void;
}

/** One session on this computer: its agent, and its turns one after the other. */
export class SessionRunner {
  private readonly hooks: SessionHooks;
  private readonly place: SessionPlace;
  private readonly watch: ChangeWatch;
  private readonly record: AskingRecord;
  private driver: AgentDriver | null = null;
  /** The agent reports its model calls itself. */
  private hasTelemetry = false;
  private current: TurnRun | null = null;
  private readonly waiting: TurnRun[] = [];
  /** Resolves when all turns taken so far have ended. */
  private work: Promise<void> = Promise.resolve();
  private done: Promise<void> = Promise.resolve();
  private startContext = '';
  private commands: string[] = [];
  /** The last one of the current turn. */
  private refusal: string | null = null;
  private idleTimers: NodeJS.Timeout[] = [];
  private closing: Promise<void> | null = null;

  constructor(private readonly options: SessionRunnerOptions) {
    mkdirSync(options.cwd, { recursive: true });
    this.place = new SessionPlace(options);
    this.record = new AskingRecord(options.home);
    this.watch = new ChangeWatch({
      decide: (call) => this.decide(call),
      onUnasked: (call, reason) => this.stopUnasked(call, reason),
    });
    this.hooks = new SessionHooks({ ...options, report: (events) => this.report(events) });
  }

  get turns(): TurnRef[] {
    const taken = this.current ? [this.current, ...this.waiting] : this.waiting;
    return taken.filter((turn) => !turn.isEnded).map(({ ref }) => ref);
  }

  start(turn: TurnRun): void {
    this.waiting.push(turn);
    this.work = this.work.then(() => this.runNext());
  }

  /** The turn belongs to somebody else now. */
  async cancel(ref: TurnRef): Promise<void> {
    const turn = [this.current, ...this.waiting].find((taken) => taken && turnKey(taken.ref) === turnKey(ref));
    turn?.drop();
    if (turn && turn === this.current) await this.stopAgent();
  }

  /** Ends the agent; its current turn is left to the next client. */
  close(reason: 'other' | 'error'): Promise<void> {
    this.closing ??= this.end(reason);
    return this.closing;
  }

  private async end(reason: 'other' | 'error'): Promise<void> {
    this.stopWaiting();
    this.watch.stop();
    if (this.current && reason === 'other') {
      this.current.leave();
      await this.stopAgent();
    }
    await this.driver?.close();
    await this.work;
    await this.hooks.settled();
    await this.hooks.end(reason);
    this.options.onClosed(this.waiting);
  }

  private async stopAgent(): Promise<void> {
    const { driver, done } = this;
    await driver?.cancel().catch(() => undefined);
    const timeout = new AbortController();
    const hasListened = await Promise.race([
      done.then(() => true),
      sleep(CANCEL_TIMEOUT_MS, false, { signal: timeout.signal }).catch(() => false),
    ]);
    timeout.abort();
    if (hasListened) return;
    this.driver = null;
    await driver?.close();
  }

  private async runNext(): Promise<void> {
    if (this.closing) return; // waiting turns are handed over
    const turn = this.waiting.shift();
    if (!turn || turn.isEnded) return;
    this.stopWaiting();
    this.current = turn;
    this.done = this.runTurn(turn);
    await this.done;
    this.current = null;
    this.waitForUser();
  }

  /** Never rejects: errors become messages in the session. */
  private async runTurn(turn: TurnRun): Promise<void> {
    try {
      await this.answer(turn);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (!turn.isEnded) this.options.log.warn(`Session ${turn.ref.sessionId}: ${text}`);
      const reason = error instanceof AgentExited ? 'process_exit' : 'error';
      turn.end(reason, turn.message('assistant', text, { isError: true }));
    }
    await this.hooks.settled();
    turn.drop();
  }

  private async answer(turn: TurnRun): Promise<void> {
    const { settings, content } = turn.start;
    this.refusal = null;
    this.hooks.use(settings);
    const driver = this.driver ?? (await this.openAgent());
    const text = textOf(content);
    const verdict = await this.hooks.submit(text);
    if (verdict.blocked) {
      const refusal = `A hook refused this message. ${verdict.reason}`.trim();
      turn.end('blocked_by_hook', turn.message('system', refusal, { visibility: 'user_only' }));
      return;
    }
    const [, instructions] = /^\/compact\b\s*(.*)/s.exec(text) ?? [];
    if (instructions !== undefined) await this.hooks.compact(instructions);
    turn.report(reportsOfText(text, this.commands, this.usageContext(turn)));
    for (const note of await driver.configure(settings))
      this.options.log.info(`Session ${turn.ref.sessionId}: ${note}`);
    if (turn.isEnded) return; // cancelled while hooks ran
    const contexts = [this.startContext, verdict.context].filter((context) => context !== '');
    this.startContext = '';
    await this.prompt(driver, turn, [...content, ...contexts.map(textBlock)]);
  }

  /** Repeats while a Stop hook refuses to let the agent stop. */
  private async prompt(driver: AgentDriver, turn: TurnRun, content: ContentBlock[]): Promise<void> {
    for (let refused = 0; ; refused++) {
      const result = await driver.prompt(content);
      if (!this.hasTelemetry) turn.report(reportsOfPrompt(result, this.usageContext(turn)));
      if (turn.isEnded || result.stopReason === 'cancelled') {
        turn.end('cancelled', ...this.whyStopped(turn));
        return;
      }
      const verdict = await this.hooks.stop(refused > 0);
      if (!verdict.blocked || refused === MAX_REFUSED_STOPS) {
        await this.hooks.settled(); // their usage belongs to this turn
        turn.end(END_REASON[result.stopReason]);
        return;
      }
      content = [textBlock(verdict.reason)];
    }
  }

  /** An agent may stop by itself when a tool is refused, without a word. */
  private whyStopped(turn: TurnRun): RelayMessage[] {
    if (turn.isEnded || this.refusal === null) return [];
    return [turn.message('assistant', `The agent stopped after a refusal. ${this.refusal}`)];
  }

  private async openAgent(): Promise<AgentDriver> {
    const { sessionId, cwd, store, log } = this.options;
    const driver = new AcpDriver({
      ...this.launch(),
      cwd,
      onUpdate: (update) => this.follow(update),
      onPermission: (request) => this.permit(request),
      onExit: (error) => {
        if (error) void this.close('error'); // a running turn gets the error from its prompt
      },
    });
    try {
      const { agentSessionId, isResumed } = await driver.open({ resume: store.find(sessionId) });
      store.put(sessionId, agentSessionId);
      this.driver = driver;
      log.info(`Session ${sessionId}: ${isResumed ? 'the agent goes on' : 'the agent has started'} in ${cwd}`);
      this.startContext = (await this.hooks.start(isResumed ? 'resume' : 'startup')).context;
      return driver;
    } catch (error) {
      await driver.close();
      throw error;
    }
  }

  private launch(): AgentLaunch {
    const { sessionId, command, env, home, telemetryOf } = this.options;
    const asking = askingLaunch(command, env, home);
    const telemetry = telemetryOf(this.current?.start.userId);
    const reporting = telemetry && telemetryLaunch(asking, { ...telemetry, sessionId }, home);
    this.hasTelemetry = reporting !== null;
    return reporting ?? asking;
  }

  private follow(update: SessionUpdate): void {
    if (update.sessionUpdate === 'available_commands_update') {
      this.commands = update.availableCommands.map(({ name }) => name);
    }
    const turn = this.current;
    const call = turn?.apply(update);
    if (!turn || !call) return;
    if (call.isFinished) {
      turn.report(reportsOfToolCall(call, this.usageContext(turn)));
      this.hooks.after(call);
    }
    this.watch.follow(call);
  }

  /** The agent cannot be trusted to stop by itself; the next turn starts another one. */
  private stopUnasked(call: ToolCall, reason: string): void {
    const turn = this.current;
    if (!turn || turn.isEnded) return;
    const { settings } = turn.start;
    const text = explainUnasked({ call, reason, settings, agentName: this.driver?.agentName ?? null });
    this.options.log.warn(`Session ${turn.ref.sessionId}: ${text}`);
    this.record.note(this.options.command, 'actedUnasked');
    turn.end('error', turn.message('assistant', text, { isError: true }));
    void this.close('error');
  }

  private decide(call: ToolCall): Decision {
    const turn = this.current;
    if (!turn || turn.isEnded) return { allow: true, reason: 'No turn is running.' };
    const { settings, controls } = turn.start;
    return decide({ settings, controls, call, place: this.place });
  }

  private async permit({ toolCall }: PermissionRequest): Promise<{ allow: boolean }> {
    const turn = this.current;
    if (!turn || turn.isEnded) return { allow: false };
    const call = turn.ask(toolCall);
    this.watch.ask(call.id);
    this.record.note(this.options.command, 'asked');
    const decision = this.decide(call);
    const verdict = decision.allow ? await this.hooks.before(call) : null;
    const allow = decision.allow && !verdict?.blocked;
    this.watch.answer(call.id, allow);
    if (allow) return { allow };
    const reason = verdict?.blocked ? `A hook refused: ${verdict.reason}` : decision.reason;
    this.options.log.info(`Session ${turn.ref.sessionId}: ${call.name} was not allowed. ${reason}`);
    this.refusal = `The agent was not allowed to use ${call.name}. ${reason}`;
    this.hooks.refuse(call, this.refusal);
    return { allow: false };
  }

  private usageContext(turn: TurnRun) {
    return { settings: turn.start.settings, now: this.options.now };
  }

  /** Without a turn, usage is reported on its own. */
  private report(events: UsageReport[]): void {
    const { sessionId, outbox } = this.options;
    if (this.current && !this.current.isEnded) this.current.report(events);
    else outbox.append({ method: 'usage.report', params: { sessionId, events } });
  }

  private waitForUser(): void {
    if (this.closing) return;
    const after = (ms: number, work: () => void) => this.idleTimers.push(setTimeout(work, ms).unref());
    after(WAITING_MS, () => this.hooks.notify('The agent is waiting for your input.'));
    after(this.options.idleMs, () => void this.close('other'));
  }

  private stopWaiting(): void {
    this.idleTimers.splice(0).forEach((timer) => clearTimeout(timer));
  }
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : '')).join('\n');
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}
