import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { preferred } from '../../../http/parameters/negotiation.js';
import { matches } from '../../../http/streams/streamed-answer.js';
import { type ConsoleFile, type ConsoleFiles, type FileEncoding, SHELL } from './console-files.js';

/** Nothing inline, hence no nonce, hence a shell that can be cached. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const PREFIX = '/console/';
/** Their names change with their content. */
const ASSETS = 'assets/';
const ONE_YEAR_SECONDS = 365 * 24 * 3600;

/** The files of the console; every other path below it is one of its pages, which the shell shows. */
export function serveConsole(server: FastifyInstance, files: ConsoleFiles): void {
  const shell = files.get(SHELL);
  server.get('/console', (_request, reply) => reply.redirect(PREFIX));
  server.get(`${PREFIX}*`, (request, reply) => {
    const path = request.url.split('?', 1)[0]?.slice(PREFIX.length) ?? '';
    const file = files.get(path) ?? (isPage(request, path) ? shell : undefined);
    if (!file) return reply.callNotFound();
    const isAsset = path.startsWith(ASSETS);
    reply.header('Cache-Control', isAsset ? `public, max-age=${ONE_YEAR_SECONDS}, immutable` : 'no-cache');
    return send(request, reply, file);
  });
}

/** A missing asset is never the shell: a script that is HTML leaves a blank page. Addresses of pages may contain dots. */
function isPage({ headers }: FastifyRequest, path: string): boolean {
  if (path.startsWith(ASSETS)) return false;
  const accept = headers.accept ?? '*/*';
  if (/\btext\/html\b/i.test(accept)) return preferred(accept, ['text/html']) !== null;
  return !path.slice(path.lastIndexOf('/') + 1).includes('.') && preferred(accept, ['text/html']) !== null;
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const encoding = encodingFor(request.headers['accept-encoding'], file);
  reply
    .header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    .header('ETag', `"${file.etag}"`)
    .header('Vary', 'Accept-Encoding');
  if (matches(request.headers['if-none-match'], file.etag)) return reply.status(304).send();
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  return reply.type(file.type).send(file.bodies.get(encoding));
}

function encodingFor(accepted: string | undefined, { bodies }: ConsoleFile): FileEncoding {
  const offers = (['br', 'gzip'] as const).filter((encoding) => bodies.has(encoding));
  return preferred(accepted, offers) ?? 'identity';
}
