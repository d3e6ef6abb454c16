import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { nameKey } from '../computers/computer.entity.js';
import { erasedSubject } from '../organization/users/user-identity.entity.js';
import type { ErasedPerson } from './erased-person.js';

/** A user, as far as erasure is concerned. */
export interface ErasableUser extends ErasedPerson {
  readonly deactivatedAt: Date | null;
}

/**
 * Statements that change what nobody else changes: the log of changes, kept answers, whatever names a person. They run as
 * the owner of the database, each within one organization.
 */
@Injectable()
export class ErasureRepository {
  async findUserForUpdate(tx: SqlTransaction, orgId: string, userId: string): Promise<ErasableUser | null> {
    const [user] = await tx.query<ErasableUser>(
      `SELECT u.id, u.email, u.first_name AS "firstName", u.last_name AS "lastName", u.deactivated_at AS "deactivatedAt"
         FROM users u WHERE u.org_id = $1 AND u.id = $2 FOR UPDATE`,
      [orgId, userId],
    );
    return user ?? null;
  }

  async eraseUser(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    await tx.query(
      `UPDATE users u SET email = NULL, email_key = NULL, first_name = '', last_name = '', metadata = '{}'
        WHERE u.org_id = $1 AND u.id = $2`,
      [orgId, userId],
    );
    await tx.query(
      `UPDATE enterprise_controls c SET user_email = '', user_name = '' WHERE c.org_id = $1 AND c.user_id = $2`,
      [orgId, userId],
    );
    await tx.query(`UPDATE audit_log a SET actor_email = NULL WHERE a.org_id = $1 AND a.actor_id = $2`, [
      orgId,
      userId,
    ]);
    await tx.query(`DELETE FROM idempotency_keys k WHERE k.org_id = $1 AND k.user_id = $2`, [orgId, userId]);
  }

  async eraseIdentities(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    const identities = await tx.query<{ issuer: string; subject: string }>(
      `SELECT i.issuer, i.subject FROM user_identities i
        WHERE i.org_id = $1 AND i.user_id = $2 AND i.subject NOT LIKE 'erased:%'`,
      [orgId, userId],
    );
    for (const { issuer, subject } of identities) {
      await tx.query(
        `UPDATE user_identities i SET subject = $4 WHERE i.org_id = $1 AND i.issuer = $2 AND i.subject = $3`,
        [orgId, issuer, subject, erasedSubject(issuer, subject)],
      );
    }
  }

  /** Changes the entries of the audit log that concern the person or have their address in them. */
  async mapAuditEntries(
    tx: SqlTransaction,
    orgId: string,
    person: ErasedPerson,
    map: (value: unknown) => unknown,
  ): Promise<void> {
    const entries = await tx.query<{ id: string; before: unknown; after: unknown }>(
      `SELECT a.id, a.before, a.after FROM audit_log a
        WHERE a.org_id = $1 AND (a.actor_id = $2 OR a.target = $2::text OR ${hasAny(`concat(a.before, a.after)`)})`,
      [orgId, person.id, searched(person)],
    );
    for (const { id, before, after } of entries) {
      const [was, is] = [JSON.stringify([before, after]), JSON.stringify([map(before), map(after)])];
      if (was === is) continue;
      const values = [map(before), map(after)].map((value) => value && JSON.stringify(value));
      tx.enqueue(`UPDATE audit_log a SET before = $3, after = $4 WHERE a.org_id = $1 AND a.id = $2`, [
        orgId,
        id,
        ...values,
      ]);
    }
  }

  /** The same for answers that are kept for a retry. */
  async mapKeptAnswers(
    tx: SqlTransaction,
    orgId: string,
    person: ErasedPerson,
    map: (value: unknown) => unknown,
  ): Promise<void> {
    const kept = await tx.query<{ userId: string; route: string; key: string; response: unknown }>(
      `SELECT k.user_id AS "userId", k.route, k.key, k.response FROM idempotency_keys k
        WHERE k.org_id = $1 AND ${hasAny('k.response::text', '$2')}`,
      [orgId, searched(person)],
    );
    for (const { userId, route, key, response } of kept) {
      tx.enqueue(
        `UPDATE idempotency_keys k SET response = $5
          WHERE k.org_id = $1 AND k.user_id = $2 AND k.route = $3 AND k.key = $4`,
        [orgId, userId, route, key, JSON.stringify(map(response))],
      );
    }
  }

  async listComputers(tx: SqlTransaction, orgId: string, userId: string): Promise<StoredComputer[]> {
    return tx.query(
      `SELECT c.id, c.name, c.hostname, c.remote_user AS "remoteUser" FROM computers c
        WHERE c.org_id = $1 AND c.registered_by = $2`,
      [orgId, userId],
    );
  }

  updateComputer(tx: SqlTransaction, orgId: string, { id, name, hostname, remoteUser }: StoredComputer): void {
    tx.enqueue(
      `UPDATE computers c SET name = $3, name_key = $4, hostname = $5, remote_user = $6
        WHERE c.org_id = $1 AND c.id = $2`,
      [orgId, id, name, nameKey(name), hostname, remoteUser],
    );
  }
}

export interface StoredComputer {
  readonly id: string;
  readonly name: string;
  readonly hostname: string | null;
  readonly remoteUser: string | null;
}

/** What tells that a JSON text concerns the person: their id, or their address as it stands in JSON. */
function searched({ id, email }: ErasedPerson): string[] {
  return [id, ...(email === null ? [] : [JSON.stringify(email).slice(1, -1).toLowerCase()])];
}

function hasAny(text: string, words = '$3'): string {
  return `EXISTS (SELECT FROM unnest(${words}::text[]) AS w (word) WHERE strpos(lower(${text}), w.word) > 0)`;
}
