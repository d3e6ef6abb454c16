/** The closed list of ways in which a request can fail. The error filter decides the HTTP status of each. */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthenticated'
  | 'credit_limit_reached'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'headers_too_large'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable';

/** One field of the input that is wrong, and what would be right. */
export interface FieldError {
  field: string;
  message: string;
}

interface DomainErrorOptions {
  /** Validation only: which fields are wrong. */
  errors?: FieldError[];
  /** Answer headers that belong to this failure, such as Retry-After. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/** As many as an answer names; whoever has more to mend learns of the rest the next time. */
export const MAX_FIELD_ERRORS = 50;
/** Names and values of the caller may be part of it: an answer stays small whatever they sent. */
const MAX_DETAIL = 2_000;

/** A failure that the caller is told about. It knows nothing of HTTP; `error.filter.ts` turns it into an answer. */
export class DomainError extends Error {
  readonly detail: string;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ErrorCode,
    detail: string,
    options: DomainErrorOptions = {},
  ) {
    const told = detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL).toWellFormed()}…` : detail;
    super(told, { cause: options.cause });
    this.name = new.target.name;
    this.detail = told;
    this.errors = options.errors?.slice(0, MAX_FIELD_ERRORS);
    this.headers = options.headers ?? {};
  }
}

export class InvalidRequestError extends DomainError {
  constructor(detail: string, errors?: FieldError[]) {
    super('invalid_request', detail, { errors });
  }

  /** The common case: exactly one field is wrong. */
  static ofField(field: string, message: string): InvalidRequestError {
    return new InvalidRequestError(`${field}: ${message}`, [{ field, message }]);
  }
}

export class UnauthenticatedError extends DomainError {
  /** `presented` is true when a credential came with the request but was refused; `why` where the caller may know. */
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

/** The object does not exist, or belongs to another organization: the caller cannot tell which. */
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

export class RateLimitedError extends DomainError {
  constructor(detail: string, retryAfterSeconds: number) {
    super('rate_limited', detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });
  }
}

/** Something this service depends on is away for the moment; the same request may work later. */
export class UnavailableError extends DomainError {
  constructor(detail: string, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super('unavailable', detail, {
      headers: { 'Retry-After': String(options.retryAfterSeconds ?? 2) },
      cause: options.cause,
    });
  }
}
