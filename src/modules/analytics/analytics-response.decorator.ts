import { applyDecorators, type Type, UseInterceptors } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { StreamedAnswerInterceptor } from '../../http/streams/streamed-answer.js';
import { AnalyticsMeta } from './analytics.dto.js';

export const HEADERS = {
  ETag: {
    description: 'For `If-None-Match`.',
    schema: { type: 'string' as const },
    example: '"3u0b2mE2mX9b4m1a7Qd1kWc"',
  },
  'Last-Modified': {
    description: 'When the newest day of the answer was computed.',
    schema: { type: 'string' as const },
    example: 'Sun, 15 Nov 2026 00:05:12 GMT',
  },
};

/** A controller whose answers are streamed, and left out when the client has them already. */
export const ConditionalAnswers = () =>
  applyDecorators(
    UseInterceptors(StreamedAnswerInterceptor),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'An `ETag` that is known.',
      schema: { type: 'string' },
    }),
  );

export const ApiRows = (rows: Type[], meta: Type = AnalyticsMeta) => {
  const [only] = rows;
  const items =
    rows.length === 1 && only
      ? { $ref: getSchemaPath(only) }
      : { anyOf: rows.map((row) => ({ $ref: getSchemaPath(row) })) };
  return applyDecorators(
    ApiExtraModels(...rows, meta),
    ApiOkResponse({
      description: 'The rows.',
      headers: HEADERS,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['data', 'meta'],
            properties: {
              data: { type: 'array', items, description: 'One row for each day, or for each group and day.' },
              meta: { $ref: getSchemaPath(meta) },
            },
          },
        },
        'text/csv': {
          schema: { type: 'string', description: 'A line of names, then one line a row: scalar fields only.' },
        },
        'application/x-ndjson': { schema: { type: 'string', description: 'One row a line.' } },
      },
    }),
    ApiResponse({
      status: 304,
      description: 'The answer is the one of the `ETag` in `If-None-Match`.',
      headers: HEADERS,
    }),
  );
};
