import { Injectable } from '@nestjs/common';
import { ConflictError, ForbiddenError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/durations.js';
import { AppConfig } from '../../config/app-config.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import type { SessionComputer } from '../computers/session-computer.js';
import { ControlsService } from '../organization/controls/controls.service.js';
import type { EnterpriseControls } from '../organization/controls/enterprise-controls.js';
import { type SessionSettings, settingsForTurn } from '../sessions/session-settings.js';
import type { SessionEntity, SessionStatus } from '../sessions/session.entity.js';
import type { NewMessage, TranscriptChange } from '../sessions/transcript/transcript.service.js';
import { ConnectedAgents } from './connected-agents.js';
import { errorMessage } from './error-message.js';
import { TurnControls } from './turn-controls.js';
import { TurnProgressService } from './turn-progress.service.js';
import { TurnRecorder } from './turn-recorder.js';
import { type AgentRef, type BegunTurn, queued, type TurnRef } from './turn.js';
import { TurnsRepository } from './turns.repository.js';
import { turnKey } from '../../protocol/relay-protocol.js';

/** How long after a turn its computer may report usage. */
const USAGE_AFTER_MS = DAY_MS;

export interface PreparedTurn extends TurnRef {
  userId: string;
  content: BegunTurn['content'];
  settings: SessionSettings;
  controls: object;
}

/** A message that was written, and the computer that has to answer it. */
export interface Question {
  message: NewMessage;
  written: TranscriptChange;
  computer: SessionComputer;
  title: string | null;
}

/** The durable queue of turns: messages add them, agents take them and hold them by a lease. */
@Injectable()
export class TurnsService {
  readonly leaseMs: number;
  private readonly maxQueued: number;

  constructor(
    config: AppConfig,
    private readonly turns: TurnsRepository,
    private readonly progress: TurnProgressService,
    private readonly recorder: TurnRecorder,
    private readonly agents: ConnectedAgents,
    private readonly controls: ControlsService,
    private readonly turnControls: TurnControls,
    private readonly clock: Clock,
  ) {
    this.leaseMs = config.turnLeaseSeconds * 1000;
    this.maxQueued = config.bounds.maxQueuedTurns;
  }

  async requireRoomInQueue(tx: SqlTransaction, session: SessionEntity): Promise<void> {
    if (session.status === 'idle') return;
    if ((await this.turns.countQueued(tx, session, this.maxQueued)) < this.maxQueued) return;
    throw new ConflictError(
      `At most ${this.maxQueued} messages of a session may wait for an answer (MAX_QUEUED_TURNS); wait, or interrupt it.`,
    );
  }

  /** Adds the turn of a message; begins it at once if the agent is connected to this process and has a free slot. */
  queue(tx: SqlTransaction, session: SessionEntity, question: Question): SessionStatus {
    const { message, written, computer, title } = question;
    const { orgId, id: sessionId, userId, settings } = session;
    const { id: messageId, content, at } = message;
    const { id: computerId, trusted } = computer;
    const slot = session.status === 'idle' ? this.agents.reserve(computer.agentConnection) : null;
    const begun = { sessionId, messageId, attempt: 1, content, userId, settings, trusted };
    if (slot) tx.afterEnd((isCommitted) => (isCommitted ? slot.use(begun) : slot.giveBack()));
    const leaseUntil = slot ? this.leaseFrom(at) : null;
    this.turns.insert(tx, { orgId, sessionId, messageId, computerId, createdAt: at, leaseUntil });
    const change = queued(session, slot !== null);
    this.recorder.record(tx, session, change, { at, computerId, title, ...written });
    return change.status;
  }

  /** null: the queue is empty. `turn: null`: it was begun but had to end. `othersWait`: whether to call again. */
  async startNext(agent: AgentRef): Promise<{ turn: PreparedTurn | null; othersWait: boolean } | null> {
    for (;;) {
      const controls = await this.controls.forAgents(agent.orgId); // may fail, so before a turn is begun
      const at = this.clock.now();
      const next = await this.turns.startNext(agent, at, this.leaseFrom(at));
      if (!next) return null;
      if (next === 'gone') continue;
      const turn = next.isOpen ? await this.ready(agent, next, controls) : await this.refuse(agent, next, CLOSED);
      return { turn, othersWait: next.othersWait };
    }
  }

  /** For a turn that was begun without the queue; null when it had to end because of its model or of a secret. */
  async prepare(agent: AgentRef, begun: BegunTurn): Promise<PreparedTurn | null> {
    return this.ready(agent, begun, await this.controls.forAgents(agent.orgId));
  }

  /** Returns the turns that this computer does not hold any more. */
  async renew({ orgId, computerId }: AgentRef, turns: TurnRef[]): Promise<TurnRef[]> {
    if (turns.length === 0) return [];
    const leaseUntil = this.leaseFrom(this.clock.now());
    const kept = new Set((await this.turns.renew(orgId, computerId, turns, leaseUntil)).map(turnKey));
    return turns.filter((turn) => !kept.has(turnKey(turn)));
  }

  listRunning({ orgId, computerId }: AgentRef): Promise<TurnRef[]> {
    return this.turns.listRunning(orgId, computerId);
  }

  hasHeld({ orgId, computerId }: AgentRef, sessionId: string): Promise<boolean> {
    const since = new Date(this.clock.now().getTime() - USAGE_AFTER_MS);
    return this.turns.hasHeld(orgId, computerId, sessionId, since);
  }

  private leaseFrom(at: Date): Date {
    return new Date(at.getTime() + this.leaseMs);
  }

  private async ready(agent: AgentRef, begun: BegunTurn, opened: EnterpriseControls): Promise<PreparedTurn | null> {
    const { content, userId, sessionId, messageId, attempt } = begun;
    const settings = effectiveSettings(begun, opened);
    if (settings instanceof ForbiddenError) return this.refuse(agent, begun, settings.detail);
    const sendable = await this.turnControls.of(agent, begun, settings, opened);
    if ('problem' in sendable) return this.refuse(agent, begun, sendable.problem);
    return { sessionId, messageId, attempt, userId, content, settings, controls: sendable.controls };
  }

  private async refuse(agent: AgentRef, turn: TurnRef, reason: string): Promise<null> {
    await this.progress.end(agent, turn, 'error', [errorMessage(turn.messageId, reason)]);
    return null;
  }
}

const CLOSED =
  'The computer of this session became private before this message was answered. Name another one in computerId.';

/** The settings under the present controls, which may have changed since the settings were made. */
function effectiveSettings({ settings, userId }: BegunTurn, controls: EnterpriseControls) {
  try {
    return settingsForTurn(settings, controls, userId);
  } catch (error) {
    if (error instanceof ForbiddenError) return error;
    throw error;
  }
}
