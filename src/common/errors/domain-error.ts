/** The closed list of ways in which a request can fail; `PROBLEM_KINDS` has the HTTP status of each. */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthenticated'
  | 'credit_limit_reached'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'headers_too_large'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable';

export interface FieldError {
  field: string;
  message: string;
}

interface DomainErrorOptions {
  errors?: FieldError[];
  headers?: Record<string, string>;
  cause?: unknown;
}

export const MAX_FIELD_ERRORS = 50;
/** The text may contain input of the caller; this bounds the size of the answer. */
const MAX_DETAIL = 2_000;

/** A failure to report to the caller. `error.filter.ts` turns it into an HTTP answer. */
export class DomainError extends Error {
  readonly detail: string;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ErrorCode,
    detail: string,
    options: DomainErrorOptions = {},
  ) {
    const shown = detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL).toWellFormed()}…` : detail;
    super(shown, { cause: options.cause });
    this.name = new.target.name;
    this.detail = shown;
    this.errors = options.errors?.slice(0, MAX_FIELD_ERRORS);
    this.headers = options.headers ?? {};
  }
}

export class InvalidRequestError extends DomainError {
  constructor(detail: string, errors?: FieldError[]) {
    super('invalid_request', detail, { errors });
  }

  static ofField(field: string, message: string): InvalidRequestError {
    return new InvalidRequestError(`${field}: ${message}`, [{ field, message }]);
  }
}

export class UnauthenticatedError extends DomainError {
  /** `presented`: a credential was sent, but refused. */
  constructor(
    readonly presented: boolean,
    why?: string,
  ) {
    super(
      'unauthenticated',
      presented
        ? (why ?? 'The bearer value is not a valid API key or SSO token.')
        : 'Send an API key or an SSO token in the header "Authorization: Bearer <value>".',
      { headers: { 'WWW-Authenticate': presented ? 'Bearer error="invalid_token"' : 'Bearer' } },
    );
  }
}

export class ForbiddenError extends DomainError {
  constructor(detail: string) {
    super('forbidden', detail);
  }
}

/** Also when the object belongs to another organization: the caller cannot tell the difference. */
export class NotFoundError extends DomainError {
  constructor(kind: string, id: string) {
    super('not_found', `There is no ${kind} "${id}".`);
  }
}

export class ConflictError extends DomainError {
  constructor(detail: string) {
    super('conflict', detail);
  }
}

export class GoneError extends DomainError {
  constructor(detail: string) {
    super('gone', detail);
  }
}

export class RateLimitedError extends DomainError {
  constructor(detail: string, retryAfterSeconds: number) {
    super('rate_limited', detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });
  }
}

export class UnavailableError extends DomainError {
  constructor(detail: string, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super('unavailable', detail, {
      headers: { 'Retry-After': String(options.retryAfterSeconds ?? 2) },
      cause: options.cause,
    });
  }
}
