import { isNativeError } from 'node:util/types';
import { QueryFailedError } from 'typeorm';
import { ConflictError, DomainError, InvalidRequestError, UnavailableError } from './domain-error.js';

const CONNECTION_FAILURE =
  /ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|Connection terminated|^timeout expired$|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end/;
/** SQLSTATEs never begin with E; some error codes of Node (EPIPE, EBUSY) do and also have five characters. */
const SQLSTATE = /^(?!E)[0-9A-Z]{5}$/;
const STATEMENT_TIMEOUT = '57014';
const TOOK_TOO_LONG = 'This took the database too long and was stopped. Try again shortly, or ask for less at once.';
const MAY_SUCCEED_WHEN_REPEATED = new Set(['40001', '40P01']);

/** Constraint names change under Citus; SQLSTATEs do not. */
export function sqlState(error: unknown): string | null {
  const source: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const code = source instanceof Error && 'code' in source ? source.code : null;
  return typeof code === 'string' && SQLSTATE.test(code) ? code : null;
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505';
}

export function isForeignKeyViolation(error: unknown): boolean {
  return sqlState(error) === '23503';
}

/** For example the partition of a day past its retention. */
export function isUndefinedTable(error: unknown): boolean {
  return sqlState(error) === '42P01';
}

export function isStatementTimeout(error: unknown): boolean {
  return sqlState(error) === STATEMENT_TIMEOUT;
}

/** The database had no connection left or closed this one: a retry on another connection may succeed. */
export function isConnectionLoss(error: unknown): boolean {
  return isConnectionFailure(error) || /^(08|53|57P)/.test(sqlState(error) ?? '');
}

export function isInsufficientPrivilege(error: unknown): boolean {
  return sqlState(error) === '42501';
}

/** A serialization failure or a deadlock: a retry may succeed. */
export function isTransient(error: unknown): boolean {
  return MAY_SUCCEED_WHEN_REPEATED.has(sqlState(error) ?? '');
}

/** The error to report to a caller; null: an internal error. */
export function toDomainError(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  const state = sqlState(error);
  if (state === null) return isConnectionFailure(error) ? databaseAway(error) : null;
  if (state === STATEMENT_TIMEOUT) return unavailable(TOOK_TOO_LONG, error);
  switch (state.slice(0, 2)) {
    case '08': // connection exception
    case '57': // operator intervention: it is stopping or starting
    case '58': // system error
      return databaseAway(error);
    case '25': // a transaction that was idle for too long; else a mistake of ours
      return state === '25P03' ? databaseAway(error) : null;
    case '53':
      return unavailable('The database has no connection, memory or disk space left. Try again shortly.', error);
    case '40': // transaction rollback, after all repetitions
      return unavailable('Others were changing the same at the same time. Try again shortly.', error);
    case '55': // lock not available in time
      return unavailable('The object is busy. Try again shortly.', error);
    case '22': // a value that the column type cannot hold
      return new InvalidRequestError('A value of the request cannot be stored.');
    case '23':
      return state === '23505' ? new ConflictError('An object with this name or id exists already.') : null;
    default:
      return null;
  }
}

export function isConnectionFailure(error: unknown): boolean {
  if (!isNativeError(error)) return false; // also errors of another realm, as under Jest
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return CONNECTION_FAILURE.test(code) || CONNECTION_FAILURE.test(error.message);
}

export function databaseAway(cause?: unknown): UnavailableError {
  return unavailable('The database is not available at the moment. Try again shortly.', cause);
}

function unavailable(detail: string, cause: unknown): UnavailableError {
  return new UnavailableError(detail, { cause });
}
