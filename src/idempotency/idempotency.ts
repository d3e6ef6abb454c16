import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { OrgDatabase } from '../database/org-database.js';
import type { SqlTransaction } from '../database/sql-transaction.js';
import type { Principal } from '../common/access/principal.js';
import { canonicalJson } from '../common/canonical-json.js';
import { ConflictError, InvalidRequestError } from '../common/errors/domain-error.js';
import { Clock } from '../common/time/clock.js';
import { DAY_MS } from '../common/time/durations.js';

export const IDEMPOTENCY_RETENTION_MS = DAY_MS;

/** The `Idempotency-Key` of a POST and its route; null when there is none. */
export interface IdempotencyKey {
  readonly route: string;
  readonly key: string;
}

export const Idempotency = createParamDecorator((_: unknown, context: ExecutionContext): IdempotencyKey | null => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw InvalidRequestError.ofField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  }
  return { route: `${request.method} ${request.routeOptions.url}`, key };
});

export const ApiIdempotencyKey = () =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes a retry safe: the same key with the same body within 24 hours answers as the first time; with another body it is a 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255, example: '7f3c2b1a-create-1' },
  });

interface StoredResponse {
  bodyHash: Buffer;
  response: unknown;
  createdAt: Date;
}

interface ReplayRules<T> {
  /** What is stored for a replay; the whole response unless it holds a secret. */
  keep?: (response: T) => unknown;
  /** What a retry is answered; the stored response by default. */
  replay?: (kept: unknown) => T;
}

/** Makes retries of a POST safe: the key is stored in the same transaction as the work. */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly clock: Clock,
  ) {}

  /** Runs `work` in a transaction. For a key that was used before, replays the response. */
  once<T>(
    caller: Principal,
    idempotency: IdempotencyKey | null,
    body: object,
    work: (tx: SqlTransaction) => Promise<T>,
    rules: ReplayRules<T> = {},
  ): Promise<T> {
    return this.db.transaction(caller.orgId, async (tx) => {
      if (idempotency === null) return work(tx);
      const earlier = await this.claim(tx, caller, idempotency, hashOf(body));
      if (earlier) return rules.replay ? rules.replay(earlier.response) : (earlier.response as T);
      const response = await work(tx);
      tx.enqueue(
        `UPDATE idempotency_keys k SET response = $5
          WHERE k.org_id = $1 AND k.user_id = $2 AND k.route = $3 AND k.key = $4`,
        [...keyOf(caller, idempotency), JSON.stringify(rules.keep ? rules.keep(response) : response)],
      );
      return response;
    });
  }

  /** Returns the stored response if the key was used before. Waits for another transaction that holds the key. */
  private async claim(
    tx: SqlTransaction,
    caller: Principal,
    idempotency: IdempotencyKey,
    bodyHash: Buffer,
  ): Promise<StoredResponse | null> {
    const now = this.clock.now();
    const oldest = new Date(now.getTime() - IDEMPOTENCY_RETENTION_MS);
    const [claimed] = await tx.query(
      `INSERT INTO idempotency_keys AS k (org_id, user_id, route, key, body_hash, created_at)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (org_id, user_id, route, key) DO UPDATE
          SET body_hash = excluded.body_hash, response = NULL, created_at = excluded.created_at
        WHERE k.created_at < $7
       RETURNING 1`,
      [...keyOf(caller, idempotency), bodyHash, now, oldest],
    );
    if (claimed) return null;
    const [earlier] = await tx.query<StoredResponse>(
      `SELECT k.body_hash AS "bodyHash", k.response, k.created_at AS "createdAt" FROM idempotency_keys k
        WHERE k.org_id = $1 AND k.user_id = $2 AND k.route = $3 AND k.key = $4`,
      keyOf(caller, idempotency),
    );
    if (!earlier?.bodyHash.equals(bodyHash)) {
      throw new ConflictError('This Idempotency-Key was used with another body.');
    }
    return earlier;
  }
}

function keyOf(caller: Principal, { route, key }: IdempotencyKey): string[] {
  return [caller.orgId, caller.userId, route, key];
}

function hashOf(body: object): Buffer {
  return createHash('sha256').update(canonicalJson(body)).digest();
}
