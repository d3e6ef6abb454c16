import type { DomainError, ErrorCode } from './domain-error.js';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The HTTP status of each kind of failure; a new error code does not compile without one. */
export const PROBLEM_KINDS: Record<ErrorCode, { status: number; title: string }> = {
  invalid_request: { status: 400, title: 'Invalid request' },
  unauthenticated: { status: 401, title: 'Not authenticated' },
  credit_limit_reached: { status: 402, title: 'Credit limit reached' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  conflict: { status: 409, title: 'Conflict' },
  gone: { status: 410, title: 'Gone' },
  precondition_failed: { status: 412, title: 'Precondition failed' },
  payload_too_large: { status: 413, title: 'Payload too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'Request header fields too large' },
  internal_error: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
};

/** The error body of every route (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  detail: string;
  status: number;
  requestId: string;
  errors?: { field: string; message: string }[];
}

export function toProblem(error: DomainError, requestId: string): Problem {
  return {
    type: problemType(error.code),
    ...PROBLEM_KINDS[error.code],
    detail: error.detail,
    requestId,
    ...(error.errors ? { errors: error.errors } : {}),
  };
}

export function problemType(code: ErrorCode): string {
  return `urn:agent-platform:problem:${code.replaceAll('_', '-')}`;
}
