import { Readable } from 'node:stream';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { LoopPacer } from '../../common/loop-pacer.js';
import { unlessStalled } from './unless-stalled.js';

/** A streamed answer with validators for caching. */
export interface StreamedAnswer {
  /** Without quotes. */
  readonly etag: string;
  readonly lastModified: Date | null;
  readonly headers: Readonly<Record<string, string>>;
  /** A short text is sent in one piece, which costs less. */
  readonly isShortText: boolean;
  /** Called at most once, if the body is needed. Errors have to be thrown here, before anything is sent. */
  readonly body: () => Promise<AsyncIterable<Buffer | string>>;
  /** Called when a body has been sent, has failed or was aborted. */
  readonly ended: () => void;
}

/** A reader that takes nothing for this long is disconnected. */
const MAX_STALL_MS = 60_000;
/** Long answers take turns with each other and with other work. */
const pacer = new LoopPacer(2);

type SentAnswer = StreamableFile | string | undefined;

/** Answers 304 when the client has the current version. */
@Injectable()
export class StreamedAnswerInterceptor implements NestInterceptor<StreamedAnswer, SentAnswer> {
  intercept(context: ExecutionContext, next: CallHandler<StreamedAnswer>): Observable<SentAnswer> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    return next.handle().pipe(mergeMap((answer) => send(answer, request, reply)));
  }
}

async function send(answer: StreamedAnswer, request: FastifyRequest, reply: FastifyReply): Promise<SentAnswer> {
  const isKnown = matches(request.headers['if-none-match'], answer.etag);
  // The body of a 304 or HEAD is not produced, except for short texts, whose length is sent.
  const isWanted = !isKnown && (answer.isShortText || request.method !== 'HEAD');
  const body = isWanted ? await answer.body() : null;
  reply.header('ETag', `"${answer.etag}"`).header('Cache-Control', 'private, no-cache');
  reply.header('Vary', 'Accept, Accept-Encoding, Authorization, Cookie');
  if (answer.lastModified) reply.header('Last-Modified', answer.lastModified.toUTCString());
  if (isKnown) {
    reply.status(304);
    return undefined;
  }
  reply.headers(answer.headers);
  if (body && answer.isShortText) return textOf(body).finally(answer.ended);
  const stream: Readable = body
    ? Readable.from(
        unlessStalled(paced(body), MAX_STALL_MS, () => stream.destroy()),
        { objectMode: false },
      ).once('close', answer.ended)
    : Readable.from([], { objectMode: false });
  return new StreamableFile(stream, { type: answer.headers['Content-Type'] });
}

async function textOf(pieces: AsyncIterable<Buffer | string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece.toString();
  return text;
}

async function* paced<T>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const piece of pieces) {
    yield piece;
    await pacer.next();
  }
}

/** Weak validators match too. */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(`"${etag}"`);
}
