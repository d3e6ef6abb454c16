import type { FastifyRequest } from 'fastify';
import { ForbiddenError } from '../../common/errors/domain-error.js';
import type { AppConfig } from '../../config/app-config.js';

type Config = Pick<AppConfig, 'http' | 'console'>;

/** Whether the browser speaks HTTPS: by the configured address, or by what a trusted proxy says. */
export function isEncrypted(request: FastifyRequest, { http }: Pick<Config, 'http'>): boolean {
  return http.publicUrl.startsWith('https:') || request.protocol === 'https';
}

/** Cookies travel in the clear over plain HTTP, so it is for this machine only unless an operator says otherwise. */
export function requireSafeTransport(request: FastifyRequest, config: Config): void {
  if (isEncrypted(request, config) || config.console.allowHttp || staysOnMachine(request, config)) return;
  throw new ForbiddenError(
    'The console is reached over plain HTTP from another machine, where anybody on the way could take over the sign-in. ' +
      'Set PUBLIC_URL to an https address (or TRUST_PROXY behind a proxy with TLS), or CONSOLE_ALLOW_HTTP=true.',
  );
}

/** Something to show to whoever signs in; null: nothing is wrong. */
export function transportWarning(request: FastifyRequest, config: Config): string | null {
  if (isEncrypted(request, config) || staysOnMachine(request, config)) return null;
  return 'This connection is not encrypted: anybody on the way can read what you send and take over your sign-in.';
}

/** A proxy may put its own address into Host, so PUBLIC_URL has to agree. */
function staysOnMachine(request: FastifyRequest, { http }: Config): boolean {
  return isLoopback(request.hostname) && isLoopback(new URL(http.publicUrl).hostname);
}

/** The name or address of this machine for itself, as it stands in a URL. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}
