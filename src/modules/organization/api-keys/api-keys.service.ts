import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { newId } from '../../../common/new-id.js';
import type { Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import {
  ConflictError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
} from '../../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../../common/http/paging.js';
import { Clock } from '../../../common/time/clock.js';
import { apiKeyPrefix, newApiKey } from '../../../common/validation/api-key-format.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { type Actor, AuditLogService } from '../audit/audit-log.service.js';
import { CREDENTIALS_CHANGED } from '../credential-changes.js';
import { UsersRepository } from '../users/users.repository.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeysRepository } from './api-keys.repository.js';

export interface NewApiKey {
  name: string;
  userId: string;
  expiresAt: Date | null;
  createdBy: string;
}

/** A key as it is shown exactly once, together with what is stored of it. */
export interface IssuedApiKey {
  entity: ApiKeyEntity;
  key: string;
}

/** API keys: each belongs to a user and carries that user's role as it is now. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly apiKeys: ApiKeysRepository,
    private readonly users: UsersRepository,
    private readonly auditLog: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** Own keys; owners see everybody's. */
  list(caller: Principal, page: PageRequest): Promise<Page<ApiKeyEntity>> {
    return this.apiKeys.listPage(caller.orgId, page, caller.role === Role.Owner ? null : caller.userId);
  }

  async create(
    tx: SqlTransaction,
    caller: Principal,
    input: { name: string; userId?: string; expiresAt?: string },
  ): Promise<IssuedApiKey> {
    const userId = input.userId?.toLowerCase() ?? caller.userId;
    if (userId !== caller.userId && caller.role !== Role.Owner) {
      throw new ForbiddenError('Only an owner may create API keys for others.');
    }
    const expiresAt = input.expiresAt === undefined ? null : new Date(input.expiresAt);
    if (expiresAt && expiresAt <= this.clock.now()) {
      throw InvalidRequestError.ofField('expiresAt', 'must lie in the future');
    }
    const user = await this.users.findForUpdate(tx, caller.orgId, userId);
    if (!user) throw new NotFoundError('user', userId);
    if (user.deactivatedAt) throw new ConflictError('This user is deactivated and cannot have API keys.');
    return this.issue(tx, caller.orgId, caller, { name: input.name, userId, expiresAt, createdBy: caller.userId });
  }

  /** Stores a key for a user who is known to exist; `key` is given only by an operator who decides it. */
  async issue(
    tx: SqlTransaction,
    orgId: string,
    actor: Actor,
    input: NewApiKey,
    key = newApiKey(),
  ): Promise<IssuedApiKey> {
    const entity: ApiKeyEntity = {
      orgId,
      id: newId(),
      ...input,
      prefix: apiKeyPrefix(key),
      keyHash: hashApiKey(key),
      createdAt: this.clock.now(),
      lastUsedAt: null,
    };
    await this.apiKeys.insert(tx, entity);
    this.auditLog.record(tx, orgId, actor, {
      action: 'api_key.created',
      target: entity.id,
      after: auditedState(entity),
    });
    return { entity, key };
  }

  /** Deletes an own key, or any key of the organization for an owner. */
  async revoke(caller: Principal, keyId: string): Promise<void> {
    const key = await this.apiKeys.findById(caller.orgId, keyId);
    const mayRevoke = key && (caller.role === Role.Owner || key.userId === caller.userId);
    if (!mayRevoke) throw new NotFoundError('API key', keyId);
    await this.delete(key, caller);
  }

  async delete(key: ApiKeyEntity, actor: Actor): Promise<void> {
    await this.db.transaction(key.orgId, async (tx) => {
      await this.apiKeys.delete(tx, key);
      this.auditLog.record(tx, key.orgId, actor, {
        action: 'api_key.revoked',
        target: key.id,
        before: auditedState(key),
      });
      tx.notify(CREDENTIALS_CHANGED, { orgId: key.orgId, userId: key.userId });
    });
  }
}

function auditedState({ name, userId, prefix, expiresAt }: ApiKeyEntity): object {
  return { name, userId, prefix, expiresAt };
}

/** What is stored of a key. A plain hash suffices: the key is 256 random bits, there is nothing to guess. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
