import { methods, type RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContentBlock } from '../../protocol/relay-protocol.js';
import {
  type AgentChoices,
  type AgentDriver,
  type AgentDriverOptions,
  AgentFailed,
  type OpenedSession,
  type PermissionRequest,
  type PromptResult,
  type SessionUpdate,
} from './agent-driver.js';
import { asksForLogin, explain, loginMessage } from './agent-errors.js';
import { type AgentHello, readHello } from './agent-hello.js';
import { AgentLink, CLIENT_INFO } from './agent-link.js';
import { agentOfName } from './known-agents.js';
import { answerOf, CANCELLED } from './permission-answer.js';
import { sessionMeta } from './asking-agents.js';
import { toPromptBlocks } from './prompt-blocks.js';
import { readPromptResult } from './prompt-result.js';
import { SessionOptions, type Step } from './session-options.js';
import { readUpdate } from './session-update.js';
import { readToldModel } from './told-model.js';
import { ToldUsage } from './told-usage.js';

const PROTOCOL_VERSION = 1;
const CLIENT_CAPABILITIES = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
const OPEN_TIMEOUT_MS = 60_000;
const CONFIGURE_TIMEOUT_MS = 30_000;

export class AcpDriver implements AgentDriver {
  private readonly sessionOptions = new SessionOptions();
  private link: AgentLink | null = null;
  private hello: AgentHello | null = null;
  private sessionId: string | null = null;
  /** Commands announced before `session/new` returned. */
  private earlyCommands: SessionUpdate | null = null;
  /** The model itself, where the options have an alias. */
  private toldModel: string | null = null;
  private readonly toldUsage = new ToldUsage();
  private turn: Turn | null = null;
  private isClosed = false;
  private hasTurnedBad = false;

  constructor(private readonly options: AgentDriverOptions) {}

  async open({ resume }: { resume: string | null }): Promise<OpenedSession> {
    if (this.link) throw new Error('A driver opens one session.');
    this.link = await AgentLink.start(this.options, {
      onUpdate: (params) => this.hear(params),
      onPermission: (request) => this.ask(request),
      onLost: (failure) => this.lost(failure),
    });
    try {
      if (this.isClosed) await this.link.close();
      const session = await within(this.options.openTimeoutMs ?? OPEN_TIMEOUT_MS, this.begin(this.link, resume));
      this.sessionId = session.agentSessionId;
      if (this.earlyCommands) this.options.onUpdate(this.earlyCommands);
      return session;
    } catch (error) {
      const failure = this.link.failure ?? explain(error, this.link.lastOutput);
      await this.link.close();
      throw failure;
    }
  }

  get agentName(): string | null {
    return this.hello?.agentName ?? null;
  }

  async configure(choices: AgentChoices): Promise<string[]> {
    const options = this.sessionOptions;
    const notes: string[] = [];
    // In this order: which efforts exist may depend on the model.
    for (const next of [() => options.model(choices), () => options.mode(choices), () => options.effort(choices)]) {
      const note = await this.take(next());
      if (note !== null) notes.push(note);
    }
    return notes;
  }

  async prompt(blocks: readonly ContentBlock[]): Promise<PromptResult> {
    const { link, sessionId } = this.session();
    if (this.turn) throw new Error('The session works on another prompt.');
    const turn = new Turn();
    this.turn = turn;
    try {
      const prompt = toPromptBlocks(blocks, this.hello);
      const response = await link.agent.request(methods.agent.session.prompt, { sessionId, prompt });
      return this.resultOf(response);
    } catch (error) {
      if (link.failure) throw link.failure;
      if (turn.isCancelled) return this.resultOf({ stopReason: 'cancelled' });
      throw explain(error);
    } finally {
      this.turn = null;
    }
  }

  async cancel(): Promise<void> {
    const { turn, link } = this;
    if (!turn || !link || link.failure) return;
    const { sessionId } = this.session();
    const sent = link.agent.notify(methods.agent.session.cancel, { sessionId });
    turn.cancel();
    await sent.catch(() => undefined);
  }

  async close(): Promise<void> {
    const isFirst = !this.isClosed;
    this.isClosed = true;
    await this.link?.close();
    if (isFirst && this.sessionId !== null && !this.hasTurnedBad) this.options.onExit(null);
  }

  private async begin({ agent, failure }: AgentLink, resume: string | null): Promise<OpenedSession> {
    if (failure) throw failure;
    const answer: unknown = await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: CLIENT_CAPABILITIES,
      clientInfo: CLIENT_INFO,
    });
    this.hello = readHello(answer);
    if (this.hello?.protocolVersion !== PROTOCOL_VERSION) {
      const version = this.hello ? `version ${this.hello.protocolVersion} of ACP` : 'no ACP';
      throw new AgentFailed(`The agent speaks ${version}; version ${PROTOCOL_VERSION} is needed.`);
    }
    if (resume !== null && (await this.isLoaded(resume))) return { agentSessionId: resume, isResumed: true };
    return { agentSessionId: await this.newSession(), isResumed: false };
  }

  private async isLoaded(sessionId: string): Promise<boolean> {
    if (!this.hello?.canLoadSessions) return false;
    const params = { sessionId, ...this.sessionParams() };
    try {
      this.sessionOptions.merge(await this.link?.agent.request(methods.agent.session.load, params));
      return true;
    } catch (error) {
      if (this.link?.failure) throw error;
      return false;
    }
  }

  private async newSession(): Promise<string> {
    const params = this.sessionParams();
    try {
      const session: unknown = await this.link?.agent.request(methods.agent.session.new, params);
      this.sessionOptions.merge(session);
      return sessionIdOf(session);
    } catch (error) {
      const ways = this.hello?.loginMethods ?? [];
      throw asksForLogin(error, ways) ? new AgentFailed(loginMessage(error, ways)) : error;
    }
  }

  private get currentModel(): string | null {
    const model = this.toldModel ?? this.sessionOptions.currentModel;
    // Its telemetry, and everybody else, name models without their provider.
    const hasProvider = agentOfName(this.agentName ?? '') === 'opencode';
    return hasProvider ? (model?.replace(/^[^/]+\//, '') ?? null) : model;
  }

  private sessionParams() {
    const meta = sessionMeta(this.agentName, this.options.env ?? {});
    return { cwd: this.options.cwd, mcpServers: [], ...(meta ? { _meta: meta } : {}) };
  }

  private async take({ change, note }: Step): Promise<string | null> {
    if (!change) return note;
    const { link, sessionId } = this.session();
    try {
      const method: string = change.method;
      const response = await within(CONFIGURE_TIMEOUT_MS, link.agent.request(method, { ...change.params, sessionId }));
      this.sessionOptions.applied(change);
      this.sessionOptions.merge(response);
      return note;
    } catch (error) {
      if (link.failure) throw link.failure;
      return `${change.method} ${JSON.stringify(change.params)} had no effect. ${explain(error).message}`;
    }
  }

  /** What the agent tells by model is more exact than its answer. */
  private resultOf(response: unknown): PromptResult {
    const result = readPromptResult(response, this.currentModel);
    const models = this.toldUsage.take();
    return models.length > 0 ? { ...result, models } : result;
  }

  private hear(params: unknown): void {
    this.toldModel = readToldModel(params) ?? this.toldModel;
    this.toldUsage.hear(params);
    const parsed = readUpdate(params);
    if (!parsed || (this.sessionId !== null && parsed.sessionId !== this.sessionId)) return;
    const { update } = parsed;
    this.sessionOptions.apply(update);
    if (this.sessionId !== null) this.options.onUpdate(update);
    else if (update.sessionUpdate === 'available_commands_update') this.earlyCommands = update;
  }

  private async ask(request: PermissionRequest): Promise<RequestPermissionOutcome> {
    const { turn } = this;
    if (!turn || turn.isCancelled) return CANCELLED;
    const decision = this.options.onPermission(request).catch(() => ({ allow: false }));
    const answer = await Promise.race([decision, turn.cancelled]);
    return answer === null ? CANCELLED : answerOf(answer.allow, request.options);
  }

  private lost(failure: AgentFailed): void {
    this.hasTurnedBad = true;
    if (this.sessionId !== null && !this.isClosed) this.options.onExit(failure);
  }

  private session(): { readonly link: AgentLink; readonly sessionId: string } {
    const { link, sessionId } = this;
    if (link?.failure) throw link.failure;
    if (!link || sessionId === null) throw new AgentFailed('There is no session with the agent.');
    return { link, sessionId };
  }
}

class Turn {
  isCancelled = false;
  private markCancelled: (nothing: null) => void = () => undefined;
  readonly cancelled = new Promise<null>((resolve) => (this.markCancelled = resolve));

  cancel(): void {
    this.isCancelled = true;
    this.markCancelled(null);
  }
}

function sessionIdOf(session: unknown): string {
  const { sessionId } = (session ?? {}) as { sessionId?: unknown };
  if (typeof sessionId === 'string' && sessionId !== '') return sessionId;
  throw new AgentFailed('The agent answered session/new without a session id.');
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const limit = delay(ms, null, { signal: timer.signal }).then(() => {
    throw new AgentFailed(`The agent did not answer within ${ms / 1000} seconds.`);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    limit.catch(() => undefined);
    work.catch(() => undefined);
    timer.abort();
  }
}
