import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { newId } from '../../common/new-id.js';
import { clientOf, type Principal } from '../../common/access/principal.js';
import { ConflictError, InvalidRequestError, NotFoundError } from '../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../http/paging/paging.js';
import { Clock } from '../../common/time/clock.js';
import { OrgDatabase } from '../../database/org-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { ComputersService } from '../computers/computers.service.js';
import { UsageRecorder } from '../ingest/usage-recorder.js';
import { ControlsService } from '../organization/controls/controls.service.js';
import type { SessionActivity } from './session-activity.js';
import { canMatch, type SessionFilter } from './session-filter.js';
import { changeSettings, type SessionSettings, type SettingsChange } from './session-settings.js';
import { SessionEntity } from './session.entity.js';
import { SessionsRepository } from './sessions.repository.js';

/** Small, because of the statement timeout. */
const DELETE_BATCH = 20;

type OwnSessionFilter = Omit<SessionFilter, 'userId'>;

/** A session belongs to the user who created it; for everybody else it does not exist. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly sessions: SessionsRepository,
    private readonly computers: ComputersService,
    private readonly controls: ControlsService,
    private readonly usage: UsageRecorder,
    private readonly clock: Clock,
  ) {}

  async list(caller: Principal, page: PageRequest, filter: OwnSessionFilter): Promise<Page<SessionEntity>> {
    if (!canMatch(filter)) return { items: [], next: null };
    return this.sessions.listPage(caller.orgId, { ...filter, userId: caller.userId }, page);
  }

  async get(caller: Principal, sessionId: string, computerId?: string): Promise<SessionEntity> {
    const session = await this.sessions.findOwn(caller.orgId, caller.userId, sessionId);
    const isElsewhere = computerId !== undefined && session?.computerId !== computerId.toLowerCase();
    if (!session || isElsewhere) throw new NotFoundError('session', sessionId);
    return session;
  }

  /** Of any user: for the computer that works on it. */
  find(orgId: string, sessionId: string): Promise<SessionEntity | null> {
    return this.sessions.findById(orgId, sessionId);
  }

  /** Of any user; those that do not exist are left out. */
  listById(orgId: string, ids: readonly string[]): Promise<SessionEntity[]> {
    return this.sessions.listById(orgId, ids);
  }

  /** Locks the session until the transaction ends: whatever happens in it is serialized by this lock. */
  async getForUpdate(tx: SqlTransaction, caller: Principal, sessionId: string): Promise<SessionEntity> {
    const session = await this.sessions.findOwnForUpdate(tx, caller.orgId, caller.userId, sessionId);
    if (!session) throw new NotFoundError('session', sessionId);
    return session;
  }

  /** The same for the session of any user; null when there is none. */
  lock(tx: SqlTransaction, orgId: string, sessionId: string): Promise<SessionEntity | null> {
    return this.sessions.findForUpdate(tx, orgId, sessionId);
  }

  async create(
    tx: SqlTransaction,
    caller: Principal,
    input: { computerId: string; sessionSettings?: SettingsChange },
    now = this.clock.now(),
  ): Promise<SessionEntity> {
    const computer = await this.computers.getUsable(tx, caller, input.computerId);
    const controls = await this.controls.current(caller.orgId);
    const defaults = controls.sessionDefaultSettings ?? {};
    const session: SessionEntity = {
      orgId: caller.orgId,
      id: newId(),
      userId: caller.userId,
      computerId: computer.id,
      client: clientOf(caller),
      title: null,
      status: 'idle',
      settings: changeSettings(defaults, input.sessionSettings ?? {}, controls, caller.userId),
      messageCount: 0,
      inputTokens: '0',
      outputTokens: '0',
      cacheCreationTokens: '0',
      cacheReadTokens: '0',
      thinkingTokens: '0',
      createdAt: now,
      updatedAt: now,
      completedAt: null,
    };
    await this.sessions.insert(tx, session);
    const { id: sessionId, orgId, userId, client, status, computerId } = session;
    tx.notify('session_changed', { orgId, sessionId, userId, status, computerId });
    await this.usage.record(tx, { orgId, userId, sessionId, type: 'session_started', at: now, client });
    return session;
  }

  async updateSettings(caller: Principal, sessionId: string, change: SettingsChange): Promise<SessionEntity> {
    const controls = await this.controls.current(caller.orgId);
    return this.db.transaction(caller.orgId, async (tx) => {
      const session = await this.getForUpdate(tx, caller, sessionId);
      const settings = changeSettings(session.settings, change, controls, caller.userId);
      if (isDeepStrictEqual(asStored(settings), session.settings)) return session;
      const updatedAt = this.clock.now();
      this.sessions.updateSettings(tx, session, settings, updatedAt);
      return { ...session, settings, updatedAt };
    });
  }

  async rename(caller: Principal, sessionId: string, wanted: string): Promise<SessionEntity> {
    const title = wanted.trim();
    if (title === '') throw InvalidRequestError.ofField('title', 'must contain more than spaces');
    return this.db.transaction(caller.orgId, async (tx) => {
      const session = await this.getForUpdate(tx, caller, sessionId);
      const updatedAt = this.clock.now();
      this.record(tx, session, { at: updatedAt, events: [], title });
      return { ...session, title, updatedAt };
    });
  }

  async delete(caller: Principal, sessionId: string): Promise<void> {
    await this.db.transaction(caller.orgId, async (tx) => {
      const session = await this.getForUpdate(tx, caller, sessionId);
      if (session.status === 'running') throw new ConflictError('A turn is running; interrupt it or wait for its end.');
      this.sessions.delete(tx, session);
      tx.notify('session_changed', { orgId: caller.orgId, sessionId, userId: caller.userId });
    });
  }

  /** In any status: what agents send for them afterwards is refused as stale. */
  async deleteOfUser(orgId: string, userId: string): Promise<void> {
    for (let deleted = DELETE_BATCH; deleted === DELETE_BATCH;) {
      deleted = await this.db.transaction(orgId, async (tx) => {
        const ids = await this.sessions.deleteOfUser(tx, orgId, userId, DELETE_BATCH);
        for (const sessionId of ids) tx.notify('session_changed', { orgId, sessionId, userId });
        return ids.length;
      });
    }
  }

  /** The caller has locked the session. */
  record(tx: SqlTransaction, session: SessionEntity, activity: SessionActivity): void {
    const { status, completedAt, computerId, title } = session;
    this.sessions.updateActivity(tx, session, {
      ...{ addedMessages: 0, status, completedAt, computerId, title },
      ...activity,
    });
  }
}

function asStored(settings: SessionSettings): unknown {
  return JSON.parse(JSON.stringify(settings));
}
