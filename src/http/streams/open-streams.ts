import { applyDecorators, type CallHandler, type ExecutionContext, Injectable } from '@nestjs/common';
import { type NestInterceptor, SetMetadata, UseInterceptors } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { AppConfig } from '../../config/app-config.js';
import type { Principal } from '../../common/access/principal.js';
import { RateLimitedError } from '../../common/errors/domain-error.js';

const KIND = 'stream-kind';
const RETRY_AFTER_SECONDS = 5;

/** `agent`: the socket of an agent; the first one of each computer is not counted. */
type StreamKind = 'reader' | 'agent';

class UserStreams {
  readers = 0;
  readonly agents = new Map<string, number>();

  get counted(): number {
    return [...this.agents.values()].reduce((sum, sockets) => sum + sockets - 1, this.readers);
  }

  get isEmpty(): boolean {
    return this.readers === 0 && this.agents.size === 0;
  }
}

/** Limits the event streams and sockets that a user has open in this process to `MAX_STREAMS_PER_USER`. */
@Injectable()
export class OpenStreams {
  private readonly users = new Map<string, UserStreams>();
  private readonly max: number;

  constructor({ http }: AppConfig) {
    this.max = http.maxStreamsPerUser;
  }

  /** Returns the function to call when the stream has ended. `computerId`: for agents; null for readers. */
  open({ orgId, userId }: Principal, computerId: string | null): () => void {
    const key = `${orgId} ${userId}`;
    const streams = this.users.get(key) ?? new UserStreams();
    const isFree = computerId !== null && !streams.agents.has(computerId);
    if (!isFree && streams.counted >= this.max) throw this.tooMany();
    this.users.set(key, streams);
    add(streams, computerId, 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      add(streams, computerId, -1);
      if (streams.isEmpty) this.users.delete(key);
    };
  }

  private tooMany(): RateLimitedError {
    return new RateLimitedError(
      `At most ${this.max} event streams and sockets at a time for one user (MAX_STREAMS_PER_USER); close one first.`,
      RETRY_AFTER_SECONDS,
    );
  }
}

function add(streams: UserStreams, computerId: string | null, change: 1 | -1): void {
  if (computerId === null) {
    streams.readers += change;
    return;
  }
  const sockets = (streams.agents.get(computerId) ?? 0) + change;
  if (sockets === 0) streams.agents.delete(computerId);
  else streams.agents.set(computerId, sockets);
}

export const CountsAsStream = (kind: StreamKind = 'reader') =>
  applyDecorators(SetMetadata(KIND, kind), UseInterceptors(OpenStreamsInterceptor));

@Injectable()
export class OpenStreamsInterceptor implements NestInterceptor {
  constructor(
    private readonly streams: OpenStreams,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest<{ Params: { computerId?: string } }>>();
    const { raw: response } = http.getResponse<FastifyReply>();
    const isAgent = this.reflector.get<StreamKind>(KIND, context.getHandler()) === 'agent';
    const computerId = isAgent ? (request.params.computerId?.toLowerCase() ?? null) : null;
    const { principal } = request;
    if (principal) {
      const close = this.streams.open(principal, computerId);
      // An upgraded request has no response to wait for; a kept-alive connection outlives its responses.
      const lasting = request.headers.upgrade === undefined ? response : request.raw.socket;
      lasting.once('close', close);
    }
    return next.handle();
  }
}
