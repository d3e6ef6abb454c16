import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGzip, constants } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Release } from '../../common/fair-semaphore.js';
import type { StreamedAnswer } from '../../http/streams/streamed-answer.js';
import { AnalyticsLoad } from './analytics-load.js';
import { type AnswerFormat, headersOf } from './answer-format.js';

/** A fast level: the response is compressed while the client waits. */
const GZIP = { level: 3, strategy: constants.Z_DEFAULT_STRATEGY };

interface AnswerOptions {
  readonly orgId: string;
  /** Everything on which the answer depends, besides its format. */
  readonly identity: readonly unknown[];
  readonly format: AnswerFormat;
  readonly lastModified: Date | null;
  readonly isShortText: boolean;
}

@Injectable()
export class AnalyticsAnswers {
  constructor(private readonly load: AnalyticsLoad) {}

  of(
    { orgId, identity, format, lastModified, isShortText }: AnswerOptions,
    body: StreamedAnswer['body'],
  ): StreamedAnswer {
    let release: Release | null = null;
    const begin = async () => {
      release = await this.load.begin(orgId);
      try {
        return await body();
      } catch (error) {
        release();
        throw error;
      }
    };
    const parts = [orgId, ...identity, format.name, format.isGzipped];
    return {
      etag: createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27),
      lastModified,
      headers: headersOf(format),
      isShortText,
      body: begin,
      ended: () => release?.(),
    };
  }
}

export function packed(text: AsyncGenerator<string>, { isGzipped }: AnswerFormat): AsyncIterable<Buffer | string> {
  if (!isGzipped) return text;
  const source = Readable.from(text, { objectMode: false });
  const gzip = createGzip(GZIP);
  source.once('error', (error) => gzip.destroy(error));
  gzip.once('close', () => source.destroy());
  return source.pipe(gzip);
}
