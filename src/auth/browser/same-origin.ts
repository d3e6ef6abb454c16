import type { FastifyRequest } from 'fastify';
import { ForbiddenError } from '../../common/errors/domain-error.js';
import type { AppConfig } from '../../config/app-config.js';
import { isEncrypted } from './transport.js';

const SAFE_METHODS = ['GET', 'HEAD'];

/**
 * Refuses what other sites, other ports and other windows make a browser send along with its cookie. Browsers say where a
 * request comes from in Sec-Fetch-Site; over plain HTTP they do not, and then Origin has to be ours.
 */
export function requireSameOrigin(request: FastifyRequest, config: Pick<AppConfig, 'http'>): void {
  const isSafe = SAFE_METHODS.includes(request.method);
  const isSocket = request.headers.upgrade !== undefined;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && isSafe && !isSocket)) refuse();
  // Not every browser sends Sec-Fetch-Site with a WebSocket, but all of them send Origin.
  const needsOrigin = isSocket || (site === undefined && !isSafe);
  if (origin === undefined ? needsOrigin : !isOwn(origin, request, config)) refuse();
}

function isOwn(origin: string, request: FastifyRequest, config: Pick<AppConfig, 'http'>): boolean {
  const scheme = isEncrypted(request, config) ? 'https' : 'http';
  return origin === new URL(config.http.publicUrl).origin || origin === `${scheme}://${request.host.toLowerCase()}`;
}

function refuse(): never {
  throw new ForbiddenError('This request comes from another site or window; the sign-in of a browser is not for it.');
}
