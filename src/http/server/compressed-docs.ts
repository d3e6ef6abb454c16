import { Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { preferred } from '../parameters/negotiation.js';

/** Swagger UI and the API document: two megabytes of text, half a megabyte compressed. */
const DOCS = /^\/(docs(\/|$)|openapi\.json$)/;

export function compressDocs(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const acceptsGzip = preferred(request.headers['accept-encoding'], ['gzip']) !== null;
    const isWhole = reply.statusCode === 200 && request.method === 'GET';
    if (!isWhole || !acceptsGzip || !DOCS.test(request.routeOptions.url ?? '')) {
      done(null, payload);
      return;
    }
    reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding').removeHeader('Content-Length');
    if (payload instanceof Readable) done(null, payload.pipe(createGzip()));
    else if (typeof payload === 'string' || Buffer.isBuffer(payload)) done(null, gzipSync(payload));
    else done(null, payload);
  });
}
