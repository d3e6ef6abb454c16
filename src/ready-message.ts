import type { AppConfig } from './config/app-config.js';
import type { CreatedOrganization } from './modules/organization/organizations/organizations.service.js';

/** The only place where the key of a new installation is shown. */
export function readyMessage(config: AppConfig, address: string, created: CreatedOrganization | null): string {
  const isReachableFromOutside = config.http.port !== 0;
  const url = isReachableFromOutside ? config.http.publicUrl : address;
  const wasGiven = config.bootstrap.apiKey !== null;
  const lines = ['Agent Platform is ready.', '', `  API          ${url}`, `  Swagger UI   ${url}/docs`];
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
