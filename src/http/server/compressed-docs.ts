import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { preferred } from '../parameters/negotiation.js';

/** Swagger UI and the API document: 2.8 MB of text, 0.5 MB compressed. */
const DOCS = /^\/(docs(\/|$)|openapi\.json$)/;

/** As a stream: anybody may ask for them, and compressing at once would keep everybody else waiting. */
export function compressDocs(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const acceptsGzip = preferred(request.headers['accept-encoding'], ['gzip']) !== null;
    const isWhole = reply.statusCode === 200 && request.method === 'GET';
    const source =
      payload instanceof Readable ? payload : typeof payload === 'string' ? Readable.from([payload]) : null;
    if (!isWhole || !acceptsGzip || source === null || !DOCS.test(request.routeOptions.url ?? '')) {
      done(null, payload);
      return;
    }
    reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding').removeHeader('Content-Length');
    // A pipeline also closes the file when the reader goes away.
    done(
      null,
      pipeline(source, createGzip(), () => undefined),
    );
  });
}
