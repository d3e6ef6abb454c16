import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { InvalidRequestError } from '../../common/errors/domain-error.js';

/** Refuses requests without a host, which HTTP/1.0 does not have to name, and those that name several. */
export function requireHost(server: FastifyInstance): void {
  server.addHook('onRequest', ({ raw }, _reply, done) => {
    const hosts = countHosts(raw);
    if (hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0')) done();
    else done(new InvalidRequestError(hosts === 0 ? 'The Host header is missing.' : 'The Host header is repeated.'));
  });
}

/** Node keeps the first of several under `headers`. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}
