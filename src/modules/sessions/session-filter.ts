import type { Period } from '../../common/time/period.js';
import { isUuid } from '../../common/validation/predicates.js';
import type { SqlParameters } from '../../database/sql-parameters.js';
import type { SessionStatus } from './session.entity.js';

export interface SessionFilter extends Partial<Period> {
  readonly userId?: string;
  readonly computerId?: string;
  readonly status?: SessionStatus;
  /** Part of the title, whatever the letter case. */
  readonly text?: string;
}

/** An id of the wrong form belongs to no computer. */
export function canMatch({ computerId }: SessionFilter): boolean {
  return computerId === undefined || isUuid(computerId);
}

/** Conditions on sessions `s`. The period is of their creation, by which lists are ordered. */
export function conditionsOf(p: SqlParameters, filter: SessionFilter): string {
  return [
    p.when(filter.userId, (id) => `s.user_id = ${id}`),
    p.when(filter.computerId, (id) => `s.computer_id = ${id}`),
    p.when(filter.status, (status) => `s.status = ${status}`),
    p.when(filter.text, (text) => `strpos(lower(s.title), lower(${text})) > 0`),
    p.when(filter.from?.toISOString(), (from) => `s.created_at >= ${from}`),
    p.when(filter.to?.toISOString(), (to) => `s.created_at < ${to}`),
  ].join(' ');
}
