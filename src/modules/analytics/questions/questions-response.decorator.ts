import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { HEADERS } from '../analytics-response.decorator.js';
import {
  BreakdownFigures,
  BreakdownMeta,
  BreakdownRow,
  PersonData,
  PersonMeta,
  SummaryData,
  SummaryMeta,
} from './questions.dto.js';
import { TodayData, TodayMeta } from './today.dto.js';

const ref = (type: Type) => ({ $ref: getSchemaPath(type) });

const apiAnswer = (models: Type[], properties: Record<string, object>, rows: string) =>
  applyDecorators(
    ApiExtraModels(...models),
    ApiOkResponse({
      description: 'The figures.',
      headers: HEADERS,
      content: {
        'application/json': { schema: { type: 'object', required: Object.keys(properties), properties } },
        'text/csv': { schema: { type: 'string', description: `A line of names, then ${rows}: scalar fields only.` } },
        'application/x-ndjson': { schema: { type: 'string', description: `JSON objects, ${rows}.` } },
      },
    }),
    ApiResponse({
      status: 304,
      description: 'The answer is the one of the `ETag` in `If-None-Match`.',
      headers: HEADERS,
    }),
  );

export const ApiSummary = () =>
  apiAnswer(
    [SummaryData, SummaryMeta],
    { data: ref(SummaryData), meta: ref(SummaryMeta) },
    'one line each for the range, the comparison and the change',
  );

export const ApiBreakdown = () =>
  apiAnswer(
    [BreakdownRow, BreakdownFigures, BreakdownMeta],
    {
      data: { type: 'array', items: ref(BreakdownRow), description: 'The named rows, largest first, then by key.' },
      other: ref(BreakdownFigures),
      total: ref(BreakdownFigures),
      meta: ref(BreakdownMeta),
    },
    'one line for each row of `data`',
  );

export const ApiPerson = () =>
  apiAnswer([PersonData, PersonMeta], { data: ref(PersonData), meta: ref(PersonMeta) }, 'one line for each day');

export const ApiToday = () =>
  apiAnswer([TodayData, TodayMeta], { data: ref(TodayData), meta: ref(TodayMeta) }, 'one line for each hour');
