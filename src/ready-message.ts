import { isLoopback } from './auth/browser/transport.js';
import type { AppConfig } from './config/app-config.js';
import type { CreatedOrganization } from './modules/organization/organizations/organizations.service.js';

const PLAIN_HTTP = [
  '  WARNING: CONSOLE_ALLOW_HTTP=true. People may sign in to the console over plain HTTP, where anybody on the way',
  '  can take over their sign-in. Put a proxy with TLS in front of the service.',
];

export interface Readiness {
  address: string;
  created: CreatedOrganization | null;
  hasConsole: boolean;
  /** Signs in once; null: it is not to be printed. */
  link: string | null;
}

export function publicUrlOf({ http }: AppConfig, address: string): string {
  return http.port === 0 ? address : http.publicUrl;
}

/** Where only this machine can use it: the output of other installations ends up in logs that many read. */
export function mayPrintLink({ http }: AppConfig): boolean {
  return isLoopback(http.host) && isLoopback(new URL(http.publicUrl).hostname);
}

/** The only place where the key of a new installation is shown. */
export function readyMessage(config: AppConfig, { address, created, hasConsole, link }: Readiness): string {
  const url = publicUrlOf(config, address);
  const wasGiven = config.bootstrap.apiKey !== null;
  const lines = ['Agent Platform is ready.', ''];
  if (link !== null)
    lines.push('  Open the console with this link. It works once, for 15 minutes:', '', `  ${link}`, '');
  if (hasConsole) lines.push(`  Console      ${url}/console/`);
  lines.push(`  API          ${url}`, `  Swagger UI   ${url}/docs`);
  if (hasConsole && config.console.allowHttp && !url.startsWith('https:')) lines.push('', ...PLAIN_HTTP);
  if (hasConsole && link === null) lines.push('', '  A link that signs in to the console: npm run cli -- sign-in');
  if (!created) {
    lines.push('', '  Another API key for a user: npm run cli -- key create --email <address>');
  } else if (!wasGiven) {
    const { key } = created.apiKey;
    lines.push(
      '',
      `  A first organization "${created.organization.name}" was created, owned by ${created.owner.email ?? ''}.`,
      '  This is its API key. It is shown only now; keep it in a safe place:',
      '',
      `  ${key}`,
      '',
      '  Try it:',
      '',
      `  curl -H "Authorization: Bearer ${key}" ${url}/api/v0/me`,
      `  echo ${key} | npm run -s agent -- login --url ${url} --name my-laptop`,
      '  npm run agent -- connect',
    );
  }
  return `\n${lines.join('\n')}\n\n`;
}
