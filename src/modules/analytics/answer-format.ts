import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parseExact, stringifyExact } from '../../common/exact-json.js';
import { preferred } from '../../http/parameters/negotiation.js';
import { toLine } from '../../common/csv-line.js';
import { columnsOf, toCsvLine } from './csv.js';

export const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
} as const;
type FormatName = keyof typeof MEDIA_TYPES;

export interface AnswerFormat {
  readonly name: FormatName;
  readonly isGzipped: boolean;
}

/** JSON unless the client prefers another supported format. */
export const WantedFormat = createParamDecorator((_: unknown, context: ExecutionContext): AnswerFormat => {
  const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
  const type = preferred(headers.accept, Object.values(MEDIA_TYPES));
  const name = (Object.keys(MEDIA_TYPES) as FormatName[]).find((key) => MEDIA_TYPES[key] === type) ?? 'json';
  const encoding = preferred(headers['accept-encoding'], ['gzip', 'identity']);
  return { name, isGzipped: encoding === 'gzip' };
});

export function headersOf({ name, isGzipped }: AnswerFormat): Record<string, string> {
  return {
    'Content-Type': `${MEDIA_TYPES[name]}; charset=utf-8`,
    ...(isGzipped ? { 'Content-Encoding': 'gzip' } : {}),
  };
}

/** Stored rows, copied unparsed where possible: one JSON object or, unless `isSingle`, several separated by commas. */
export interface Piece {
  readonly rows: readonly string[];
  readonly isSingle: boolean;
}

/** `example` has the columns of every row. */
export function write(
  pieces: AsyncIterable<Piece>,
  { name }: AnswerFormat,
  { meta, example }: { meta: object; example: object },
): AsyncGenerator<string> {
  if (name === 'json') return writeJson(pieces, meta);
  return name === 'csv' ? writeCsv(pieces, example) : writeNdjson(pieces);
}

async function* writeJson(pieces: AsyncIterable<Piece>, meta: object): AsyncGenerator<string> {
  let separator = JSON_OPENING;
  for await (const { rows } of pieces) {
    const text = rows.filter((row) => row !== '').join(',');
    if (text === '') continue;
    yield separator + text;
    separator = ',';
  }
  yield (separator === JSON_OPENING ? JSON_OPENING : '') + jsonClosing(meta);
}

export const JSON_OPENING = '{"data":[';
export const jsonClosing = (meta: object) => `],"meta":${JSON.stringify(meta)}}`;

async function* writeNdjson(pieces: AsyncIterable<Piece>): AsyncGenerator<string> {
  for await (const next of pieces) {
    const lines = next.isSingle ? next.rows : rowsOf(next).map(stringifyExact);
    if (lines.length > 0) yield `${lines.join('\n')}\n`;
  }
}

async function* writeCsv(pieces: AsyncIterable<Piece>, example: object): AsyncGenerator<string> {
  yield toLine(columnsOf(example));
  for await (const next of pieces) yield rowsOf(next).map(toCsvLine).join('');
}

function rowsOf({ rows }: Piece): object[] {
  return rows.flatMap((row) => parseExact(`[${row}]`) as object[]);
}
