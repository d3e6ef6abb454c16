import { ReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { preferred } from '../parameters/negotiation.js';

/** Swagger UI and the API document: 2.8 MB of text, 0.5 MB compressed. */
const DOCS = /^\/(docs(\/|$)|openapi\.json$)/;

/** Each text is compressed once: anybody may ask for them, and it takes a tenth of a second. */
export function compressDocs(server: FastifyInstance): void {
  const compressed = new Map<string, Promise<Buffer>>(); // as many as there are files
  const compressOnce = (key: string, text: string | ReadStream): Promise<Buffer> => {
    const known = compressed.get(key);
    if (known && text instanceof ReadStream) text.destroy();
    const body = known ?? compress(text);
    compressed.set(key, body);
    body.catch(() => compressed.delete(key));
    return body;
  };

  server.addHook('onSend', (request, reply, payload, done) => {
    const isDocs = DOCS.test(request.routeOptions.url ?? '') && reply.statusCode === 200 && request.method === 'GET';
    const isText = typeof payload === 'string' || payload instanceof ReadStream;
    if (!isDocs || !isText || preferred(request.headers['accept-encoding'], ['gzip']) === null) {
      done(null, payload);
      return;
    }
    reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding').removeHeader('Content-Length');
    const key = typeof payload === 'string' ? payload : String(payload.path);
    compressOnce(key, payload).then((body) => done(null, body), done);
  });
}

function compress(text: string | ReadStream): Promise<Buffer> {
  const source = typeof text === 'string' ? Readable.from([text]) : text;
  return buffer(source.compose<NodeJS.ReadWriteStream>(createGzip()));
}
