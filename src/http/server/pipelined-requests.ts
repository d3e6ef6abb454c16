import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Clients that pipeline send a few; a segment of 64 KiB can hold thousands, which Node emits all at once. */
const MAX_PIPELINED_REQUESTS = 100;

/** One request after the other: otherwise all requests of a segment would be handled in one round of the event loop. */
export function limitPipelining({ server }: FastifyInstance): void {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  const handlers = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const handle = () => {
      response.once('finish', () => next(socket));
      for (const handler of handlers) handler.call(server, request, response);
    };
    const queue = waiting.get(socket);
    if (!queue) {
      waiting.set(socket, []);
      handle();
    } else if (queue.push(handle) > MAX_PIPELINED_REQUESTS) {
      socket.destroy();
    }
  });

  function next(socket: Socket): void {
    const handle = waiting.get(socket)?.shift();
    if (!handle) waiting.delete(socket);
    else if (!socket.destroyed) handle();
  }
}
