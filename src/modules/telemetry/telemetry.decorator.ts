import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { ErrorCode } from '../../common/errors/domain-error.js';
import { PROBLEM_KINDS } from '../../common/errors/problem.js';
import { ApiBodyContent } from '../../http/parameters/body-content.decorator.js';
import { REJECTED } from './otlp/otlp-answer.js';
import type { Signal } from './otlp/records.js';

export const SESSION_HEADER = 'agent-platform-session';

const BINARY = { type: 'string', format: 'binary' };

const LISTS: Record<Signal, string> = { logs: 'resourceLogs', metrics: 'resourceMetrics', traces: 'resourceSpans' };

const STATUS = {
  type: 'object',
  description: 'A `google.rpc.Status` that is the problem body of the other routes as well.',
  required: ['code', 'message', 'type', 'title', 'detail', 'status', 'requestId'],
  properties: {
    code: { type: 'integer', description: 'The code of gRPC.' },
    message: { type: 'string', description: 'What happened and what to do about it.' },
    type: { type: 'string', description: 'Names the kind of problem, for programs.' },
    title: { type: 'string', description: 'The kind of problem in words.' },
    detail: { type: 'string', description: 'The same as `message`.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    requestId: { type: 'string', description: 'Identifies this request in the logs.' },
  },
  example: {
    code: 3,
    message: 'The body is not valid protobuf.',
    type: 'urn:agent-platform:problem:invalid-request',
    title: 'Invalid request',
    detail: 'The body is not valid protobuf.',
    status: 400,
    requestId: '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e',
  },
};

const ERRORS: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'The body cannot be decoded. Do not send it again.',
  unauthenticated: 'The credential is missing, wrong, expired or revoked.',
  forbidden: 'The role of the caller, or a policy of the organization, does not allow this.',
  request_timeout: 'The request did not arrive in time.',
  payload_too_large: 'The body is too large, as it is or after unpacking.',
  unsupported_media_type: 'Neither `application/json` nor `application/x-protobuf`, or an encoding other than gzip.',
  rate_limited: 'Send it again after `Retry-After` seconds.',
  internal_error: 'Something failed inside the service.',
  unavailable: 'The database is away. Send it again after `Retry-After` seconds.',
};

export const ApiOtlp = (signal: Signal) =>
  applyDecorators(
    ApiHeader({
      name: 'Agent-Platform-Session',
      description: 'A session whose model calls these are; nothing else is counted then.',
      required: false,
      schema: { type: 'string', format: 'uuid' },
    }),
    ApiBodyContent(`An \`Export${NAMES[signal]}ServiceRequest\` of OTLP 1.x.`, {
      'application/json': { schema: requestOf(signal), example: { [LISTS[signal]]: [] } },
      'application/x-protobuf': { schema: BINARY },
    }),
    ApiResponse({
      status: 200,
      description: 'Durable. `partialSuccess` tells how many records could not be used; do not send those again.',
      content: {
        'application/json': { schema: successOf(signal), example: {} },
        'application/x-protobuf': { schema: BINARY },
      },
    }),
    ...Object.entries(ERRORS).map(([code, description]) =>
      ApiResponse({
        status: PROBLEM_KINDS[code as ErrorCode].status,
        description,
        content: { 'application/json': { schema: STATUS }, 'application/x-protobuf': { schema: BINARY } },
      }),
    ),
  );

const NAMES: Record<Signal, string> = { logs: 'Logs', metrics: 'Metrics', traces: 'Trace' };

function requestOf(signal: Signal): object {
  const list = {
    type: 'array',
    items: { type: 'object' },
    description: 'As OTLP describes it; what is unknown is ignored.',
  };
  return { type: 'object', properties: { [LISTS[signal]]: list } };
}

function successOf(signal: Signal): object {
  return {
    type: 'object',
    properties: {
      partialSuccess: {
        type: 'object',
        description: 'Absent when everything could be used.',
        properties: {
          [REJECTED[signal]]: { type: 'string', description: 'How many, a number as text.' },
          errorMessage: { type: 'string', description: 'Why, of the first one.' },
        },
      },
    },
  };
}
