import { readFile, writeFile } from 'node:fs/promises';
import { createLogger } from './common/logging/logger.js';
import { AppConfig } from './config/app-config.js';
import { buildOpenApiDocument } from './openapi.js';
import { createApp } from './setup-app.js';

export async function writeOpenApiDocument(file: string): Promise<void> {
  await writeFile(file, await renderDocument());
}

/** Fails when the committed document differs from the code. */
export async function checkOpenApiDocument(file: string): Promise<void> {
  if ((await readFile(file, 'utf8')) === (await renderDocument())) return;
  throw new Error(`${file} is not up to date; run \`npm run openapi\` and look at the difference.`);
}

/** Needs neither database nor configuration. */
async function renderDocument(): Promise<string> {
  const { nest } = await createApp(AppConfig.fromEnv({}), createLogger({ level: 'silent', format: 'json' }));
  const document = buildOpenApiDocument(nest);
  await nest.close();
  return `${JSON.stringify(document, null, 2)}\n`;
}
