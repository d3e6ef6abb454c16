import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { stringifyExact } from '../../../common/exact-json.js';
import { SharedReads } from '../../../common/shared-reads.js';
import type { StreamedAnswer } from '../../../http/streams/streamed-answer.js';
import { AnalyticsAnswers, packed } from '../analytics-answers.js';
import { type AnswerFormat, write } from '../answer-format.js';

/** What was asked; with the state of all figures it depends on. */
export interface Question {
  readonly orgId: string;
  readonly identity: readonly unknown[];
  readonly format: AnswerFormat;
  readonly lastModified: Date | null;
}

export interface Answer {
  readonly json: { readonly data: object; readonly meta: object };
  /** Of CSV and NDJSON. */
  readonly rows: readonly object[];
}

/** In characters. */
const MAX_KEPT = 16_000_000;
const MAX_KEPT_EACH = 1_000_000;

/** Whoever asks the same question shares one computation, until a figure, a price or a team has changed. */
@Injectable()
export class QuestionAnswers {
  private readonly shared = new SharedReads<string>();
  private readonly kept = new LRUCache<string, string>({
    maxSize: MAX_KEPT,
    maxEntrySize: MAX_KEPT_EACH,
    sizeCalculation: (text) => text.length + 1,
  });

  constructor(private readonly answers: AnalyticsAnswers) {}

  of(question: Question, example: object, compute: () => Promise<Answer>): StreamedAnswer {
    const { orgId, identity, format } = question;
    const key = JSON.stringify([orgId, identity, format.name]);
    return this.answers.of({ ...question, isShortText: !format.isGzipped }, async () => {
      const text = await this.shared.read(key, async () => {
        const known = this.kept.get(key) ?? (await textOf(await compute(), format, example));
        this.kept.set(key, known);
        return known;
      });
      return packed(single(text), format);
    });
  }
}

async function textOf({ json, rows }: Answer, format: AnswerFormat, example: object): Promise<string> {
  if (format.name === 'json') return stringifyExact(json);
  let text = '';
  for await (const part of write(pieces(rows), format, { meta: {}, example })) text += part;
  return text;
}

async function* single(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

async function* pieces(rows: readonly object[]) {
  yield await Promise.resolve({ rows: rows.map(stringifyExact), isSingle: true });
}
