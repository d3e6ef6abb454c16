import { Injectable } from '@nestjs/common';
import { newId } from '../../../common/new-id.js';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import { containsAny } from '../../../database/contains-any.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { Period } from '../../../common/time/period.js';
import { isUuid } from '../../../common/validation/predicates.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';

export interface AuditEntry {
  at: Date;
  /** null: an operator at the command line. */
  actorId: string | null;
  actorEmail: string | null;
  action: string;
  target: string;
  before: object | null;
  after: object | null;
  requestId: string | null;
}

export interface AuditedStates {
  id: string;
  before: unknown;
  after: unknown;
}

export type StoredAuditEntry = AuditEntry & { id: string };

export interface AuditFilter extends Period {
  /** A user id, an e-mail address, or OPERATOR. */
  readonly actor?: string;
  /** A whole action, or what stands before its dot. */
  readonly action?: string;
  readonly target?: string;
}

/** The actor of what was done from the command line. */
const OPERATOR = 'operator';

/** Every statement on the audit log. Rows are added and read; only an erasure changes them. */
@Injectable()
export class AuditLogRepository {
  constructor(private readonly db: OrgDatabase) {}

  insert(tx: SqlTransaction, orgId: string, entry: AuditEntry): void {
    tx.enqueue(
      `INSERT INTO audit_log (org_id, id, at, actor_id, actor_email, action, target, before, after, request_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        ...[orgId, newId(), entry.at, entry.actorId, entry.actorEmail, entry.action, entry.target],
        ...[entry.before && JSON.stringify(entry.before), entry.after && JSON.stringify(entry.after), entry.requestId],
      ],
    );
  }

  /** Newest first. */
  async listPage(
    orgId: string,
    filter: AuditFilter,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<Page<StoredAuditEntry>> {
    const p = new SqlParameters();
    const rows = await this.db.read<StoredAuditEntry>(
      orgId,
      `SELECT a.id, a.at, a.actor_id AS "actorId", a.actor_email AS "actorEmail", a.action, a.target, a.before, a.after,
              a.request_id AS "requestId"
         FROM audit_log a
        WHERE a.org_id = ${p.add(orgId)} ${conditionsOf(p, filter)}
          ${p.behind(page.after, 'a.at, a.id', 'descending')}
        ORDER BY a.at DESC, a.id DESC LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows, page.limit, (entry) => [entry.at.toISOString(), entry.id]);
  }

  /** Sign-ins also hold the address and the browser of the person. */
  async eraseActor(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    await tx.query(
      `UPDATE audit_log a SET actor_email = NULL,
              before = CASE WHEN a.action LIKE 'console.%' THEN NULL ELSE a.before END,
              after = CASE WHEN a.action LIKE 'console.%' THEN NULL ELSE a.after END
        WHERE a.org_id = $1 AND a.actor_id = $2`,
      [orgId, userId],
    );
  }

  /** Entries that concern the user or whose states contain one of the words, which are in lower case. */
  listMentions(tx: SqlTransaction, orgId: string, userId: string, words: readonly string[]): Promise<AuditedStates[]> {
    return tx.query(
      `SELECT a.id, a.before, a.after FROM audit_log a
        WHERE a.org_id = $1 AND (a.actor_id = $2 OR a.target = $2::text OR ${containsAny('concat(a.before, a.after)', '$3')})`,
      [orgId, userId, words],
    );
  }

  updateStates(tx: SqlTransaction, orgId: string, { id, before, after }: AuditedStates): void {
    const states = [before, after].map((state) => state && JSON.stringify(state));
    tx.enqueue(`UPDATE audit_log a SET before = $3, after = $4 WHERE a.org_id = $1 AND a.id = $2`, [
      orgId,
      id,
      ...states,
    ]);
  }
}

function conditionsOf(p: SqlParameters, { actor, action, target, from, to }: AuditFilter): string {
  return [
    actor === undefined ? '' : `AND ${actorIs(p, actor)}`,
    p.when(action, (name) => `(a.action = ${name} OR split_part(a.action, '.', 1) = ${name})`),
    p.when(target, (id) => `a.target = ${id}`),
    p.when(from?.toISOString(), (instant) => `a.at >= ${instant}`),
    p.when(to?.toISOString(), (instant) => `a.at < ${instant}`),
  ].join(' ');
}

function actorIs(p: SqlParameters, actor: string): string {
  if (actor === OPERATOR) return 'a.actor_id IS NULL';
  return isUuid(actor) ? `a.actor_id = ${p.add(actor)}` : `lower(a.actor_email) = lower(${p.add(actor)})`;
}
