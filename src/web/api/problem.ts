export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** An answer of the service that is no success. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    /** What a person may do about it. */
    readonly detail: string,
    readonly requestId: string | null,
    /** Which fields of the request are wrong. */
    readonly errors: readonly FieldProblem[] = [],
  ) {
    super(detail);
  }
}

/** The service is being restarted or is out of reach: worth another try. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof Problem) || error.status === 502 || error.status === 503;
}

export function problemOf(response: Response, body: unknown): Problem {
  const told = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const detail = [told.detail, told.title].find((text) => typeof text === 'string');
  return new Problem(
    response.status,
    detail ?? `The service answered ${response.status}.`,
    response.headers.get('x-request-id'),
    Array.isArray(told.errors) ? (told.errors as FieldProblem[]) : [],
  );
}
