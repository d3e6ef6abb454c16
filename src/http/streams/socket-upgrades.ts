import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AbstractWsAdapter } from '@nestjs/websockets';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { InvalidRequestError } from '../../common/errors/domain-error.js';
import { attachSocket, detachSocket, responseOnSocket, routeRequest } from '../framework-internals.js';

interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
  readonly response: ServerResponse;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** WebSocket requests pass routes, guards and error filter like others; their route calls `acceptSocket`, or throws. */
export function routeUpgrades(fastify: FastifyInstance): void {
  const { server } = fastify;
  const unanswered = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (socket.destroyed) return;
    unanswered.set(socket, response);
    response.once('finish', () => unanswered.get(socket) === response && unanswered.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    const start = () => {
      if (!socket.writable) return;
      if (isWebSocket) {
        routeUpgrade(fastify, request, socket, head);
      } else {
        socket.off('error', destroy); // 'connection' below adds the server's own listener
        ignoreUpgrade(server, request, socket, head);
      }
    };
    socket.on('error', destroy);
    // Answers to earlier requests may still be on their way over this connection.
    const before = unanswered.get(socket);
    if (before) before.once('finish', start);
    else start();
  });
}

function destroy(this: Socket): void {
  this.destroy();
}

function routeUpgrade(fastify: FastifyInstance, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const response = responseOnSocket(request, socket);
  response.once('finish', () => socket.end());
  upgrades.set(request, { socket, head, response });
  routeRequest(fastify, request, response);
}

/** Opens the socket and passes it to the gateway of `server`, together with `details`. */
export function acceptSocket(reply: FastifyReply, server: WebSocketServer, ...details: unknown[]): void {
  const { raw: request } = reply.request;
  const upgrade = upgrades.get(request);
  if (!upgrade) throw new InvalidRequestError('Connect with a WebSocket: this is no place for plain requests.');
  const { socket, head, response } = upgrade;
  const refusal: { error?: Error } = {};
  const onRefusal = (error: Error) => (refusal.error = error);
  detachSocket(response, socket);
  // Synchronous. With this listener, ws leaves the answer to a bad handshake to us.
  server.once('wsClientError', onRefusal);
  server.handleUpgrade(request, socket, head, (opened: WebSocket) => server.emit('connection', opened, ...details));
  server.off('wsClientError', onRefusal);
  if (refusal.error) {
    attachSocket(response, socket);
    throw new InvalidRequestError(`${refusal.error.message}.`);
  }
  void reply.hijack();
}

/** For gateways whose sockets are accepted by a route and read by themselves. */
export class RoutedSocketAdapter extends AbstractWsAdapter {
  override create(_port: number, options: { maxPayload?: number }): WebSocketServer {
    const { maxPayload } = options;
    return new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false } satisfies ServerOptions);
  }

  override bindMessageHandlers(): void {
    // No handlers by event name: the protocol is JSON-RPC.
  }

  override async close(server: WebSocketServer): Promise<void> {
    for (const socket of server.clients) socket.terminate();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** Some clients offer HTTP/2 with every request: passed back to the HTTP parser without the offer. */
function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = [`${request.method ?? ''} ${request.url ?? ''} HTTP/${request.httpVersion}`];
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? '';
    if (!/^(connection|upgrade|http2-settings)$/i.test(name)) lines.push(`${name}: ${request.rawHeaders[i + 1] ?? ''}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
