import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { ErrorCode } from './domain-error.js';
import { ProblemResponse } from './problem.dto.js';
import { PROBLEM_KINDS, PROBLEM_MEDIA_TYPE, problemType } from './problem.js';

const EXAMPLE_REQUEST_ID = '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e';

const DETAILS: Record<ErrorCode, { description: string; example: string }> = {
  invalid_request: {
    description: 'The request is malformed or a value is not allowed; `errors` names the fields.',
    example: 'name: must be 1 to 63 characters long',
  },
  unauthenticated: {
    description: 'The credential is missing, wrong, expired or revoked.',
    example: 'The bearer value is not a valid API key or SSO token.',
  },
  credit_limit_reached: {
    description: "The user's credit limit of this month is used up.",
    example: 'The credit limit of 1000000 tokens is used up; it resets at 2026-12-01T00:00:00.000Z.',
  },
  forbidden: {
    description: "The caller's role, or a policy of the organization, does not allow this.",
    example: 'This needs the role owner or manager; you are a member.',
  },
  not_found: {
    description: 'There is no such object in the organization of the caller.',
    example: 'There is no user "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e".',
  },
  method_not_allowed: { description: 'The path has no such method.', example: 'Allowed here: GET, HEAD.' },
  request_timeout: {
    description: 'The request did not arrive in time.',
    example: 'The request took too long to arrive.',
  },
  conflict: {
    description: 'The request contradicts the present state.',
    example: 'A user with this e-mail address exists already.',
  },
  gone: {
    description: 'A page of figures that are no longer kept; begin again without `cursor`.',
    example: 'The figures of this list were replaced more than nine minutes ago. Begin again without a cursor.',
  },
  precondition_failed: {
    description: 'The object has changed since it was read (`If-Match`).',
    example: 'The current revision is 8.',
  },
  payload_too_large: { description: 'The body is too large.', example: 'The body may have at most 1048576 bytes.' },
  unsupported_media_type: {
    description: 'The body is not in a media type that this path takes.',
    example: 'Send the body as application/json.',
  },
  headers_too_large: { description: 'The request headers are too large.', example: 'The headers are too large.' },
  rate_limited: {
    description: 'Too many requests with this credential; `Retry-After` says when to go on.',
    example: 'At most 6000 requests a minute.',
  },
  internal_error: {
    description: 'Something failed inside the service; the log has the details under `requestId`.',
    example: 'The request could not be completed. The log has the details under this requestId.',
  },
  unavailable: {
    description:
      'The service is busy, the request took the database too long, or the database or the identity provider is away; ' +
      '`detail` says which, `Retry-After` when to try again.',
    example: 'The service is busy: no database connection was free in time. Try again shortly.',
  },
};

export const ApiProblems = (...codes: ErrorCode[]) =>
  applyDecorators(
    ApiExtraModels(ProblemResponse),
    ...codes.map((code) => {
      const { status, title } = PROBLEM_KINDS[code];
      const { description, example: detail } = DETAILS[code];
      const example = { type: problemType(code), title, detail, status, requestId: EXAMPLE_REQUEST_ID };
      return ApiResponse({
        status,
        description,
        content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: getSchemaPath(ProblemResponse) }, example } },
      });
    }),
  );
