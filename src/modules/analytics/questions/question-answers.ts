import { Injectable } from '@nestjs/common';
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

/** Whoever asks the same question at the same time shares one computation. */
@Injectable()
export class QuestionAnswers {
  private readonly shared = new SharedReads<Answer>();

  constructor(private readonly answers: AnalyticsAnswers) {}

  of(question: Question, example: object, compute: () => Promise<Answer>): StreamedAnswer {
    const { orgId, identity, format } = question;
    return this.answers.of({ ...question, isShortText: !format.isGzipped }, async () => {
      const answer = await this.shared.read(JSON.stringify([orgId, identity]), compute);
      return packed(textOf(answer, format, example), format);
    });
  }
}

function textOf({ json, rows }: Answer, format: AnswerFormat, example: object): AsyncGenerator<string> {
  if (format.name === 'json') return single(stringifyExact(json));
  return write(pieces(rows), format, { meta: {}, example });
}

async function* single(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

async function* pieces(rows: readonly object[]) {
  yield await Promise.resolve({ rows: rows.map(stringifyExact), isSingle: true });
}
