import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compile, compiledFile } from '../runner/compile.mjs';

/** Compiles the tests and starts one server for the whole run; every test file works in its own copy of the template. */
export default async function setUp({ rootDir, testPathPatterns }) {
  await compile(rootDir);
  if (!mayNeedDatabase(rootDir, testPathPatterns)) return;
  const { startDatabaseServer } = await import(compiledFile(rootDir, join(rootDir, 'test/support/database-server.ts')));
  const server = await startDatabaseServer(process.env);
  globalThis.testDatabaseServer = server;
  process.env.TEST_SERVER_URL = server.url;
  process.env.TEST_TEMPLATE_DATABASE = server.template.name;
  process.env.TEST_APP_ROLE = server.template.appRole;
}

/** Unit tests need none, and have their answer sooner without it. */
function mayNeedDatabase(rootDir, testPathPatterns) {
  const wanted = testPathPatterns.toExecutor({ rootDir });
  const files = readdirSync(join(rootDir, 'test'), { recursive: true });
  return files.some(
    (name) => !name.startsWith('unit') && /spec\.ts$/.test(name) && wanted.isMatch(join(rootDir, 'test', name)),
  );
}
