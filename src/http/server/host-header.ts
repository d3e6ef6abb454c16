import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { InvalidRequestError } from '../../common/errors/domain-error.js';

/** Refuses requests with several hosts, or without one unless they are HTTP/1.0. */
export function requireHost(server: FastifyInstance): void {
  server.addHook('onRequest', ({ raw }, _reply, done) => {
    const hosts = countHosts(raw);
    if (hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0')) done();
    else done(new InvalidRequestError(hosts === 0 ? 'The Host header is missing.' : 'The Host header is repeated.'));
  });
}

/** `headers` has only the first of several. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}
