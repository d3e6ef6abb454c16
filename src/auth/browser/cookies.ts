import type { FastifyReply, FastifyRequest } from 'fastify';

export interface CookieRules {
  /** Under HTTPS the name begins with `__Host-`: only this very host can have set it, and only over HTTPS. */
  readonly isEncrypted: boolean;
  /** `Lax` also comes along when another site leads here. */
  readonly sameSite: 'Strict' | 'Lax';
}

export const SESSION_COOKIE = 'agent_platform_session';

/** The values of all cookies of this name: another site may have planted a second one. */
export function readCookies(request: FastifyRequest, name: string, isEncrypted: boolean): string[] {
  const wanted = fullName(name, isEncrypted);
  return (request.headers.cookie ?? '').split(';').flatMap((part) => {
    const equals = part.indexOf('=');
    const value = part.slice(equals + 1).trim();
    return equals > 0 && part.slice(0, equals).trim() === wanted && value !== '' ? [value] : [];
  });
}

/** `maxAgeSeconds` 0: deletes it. */
export function writeCookie(
  reply: FastifyReply,
  name: string,
  value: string,
  { isEncrypted, sameSite, maxAgeSeconds }: CookieRules & { maxAgeSeconds: number },
): void {
  const attributes = [
    `${fullName(name, isEncrypted)}=${value}`,
    'Path=/',
    `Max-Age=${Math.max(0, Math.floor(maxAgeSeconds))}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(isEncrypted ? ['Secure'] : []),
  ];
  reply.header('Set-Cookie', attributes.join('; ')); // Fastify adds to the ones that are there
}

function fullName(name: string, isEncrypted: boolean): string {
  return isEncrypted ? `__Host-${name}` : name;
}
