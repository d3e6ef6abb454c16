/** One field of the request that is wrong. */
export class FieldProblem {
  /**
   * Path of the field, such as `name` or `users.3.email`.
   * @example "name"
   */
  field: string;

  /**
   * What is wrong with it and what is allowed.
   * @example "must be 1 to 63 characters long"
   */
  message: string;
}

/** The body of every error answer, as described by RFC 9457. */
export class ProblemResponse {
  /**
   * Names the kind of problem, for programs.
   * @example "urn:agent-platform:problem:invalid-request"
   */
  type: string;

  /**
   * The kind of problem in words.
   * @example "Invalid request"
   */
  title: string;

  /**
   * What happened this time and what to do about it.
   * @example "name: must be 1 to 63 characters long"
   */
  detail: string;

  /**
   * The HTTP status.
   * @example 400
   */
  status: number;

  /**
   * Identifies this request in the logs; also the `X-Request-Id` header.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  requestId: string;

  /** Which fields are wrong, when the problem is the input; the first 50 of them. */
  errors?: FieldProblem[];
}
