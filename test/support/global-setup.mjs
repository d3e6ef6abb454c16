import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compile, compiledFile } from '../runner/compile.mjs';

/** Compiles the tests and starts one database server; every test file uses its own copy of the template. */
export default async function setUp({ rootDir, testPathPatterns }) {
  await compile(rootDir);
  const files = filesWithDatabase(rootDir, testPathPatterns);
  if (files.length === 0) return;
  const load = (file) => import(compiledFile(rootDir, join(rootDir, file)));
  const { startDatabaseServer } = await load('test/support/database-server.ts');
  // Jest runs a single file in this process: its modules are loaded while the server starts.
  const [server] = await Promise.all([
    startDatabaseServer(process.env),
    files.length === 1 ? load('test/support/test-app.ts') : null,
  ]);
  globalThis.testDatabaseServer = server;
  process.env.TEST_SERVER_URL = server.url;
  process.env.TEST_TEMPLATE_DATABASE = server.template.name;
  process.env.TEST_APP_ROLE = server.template.appRole;
}

/** Unit tests need no database and start sooner without one. */
function filesWithDatabase(rootDir, testPathPatterns) {
  const wanted = testPathPatterns.toExecutor({ rootDir });
  return readdirSync(join(rootDir, 'test'), { recursive: true })
    .filter((name) => name.endsWith('spec.ts') && !name.startsWith('unit'))
    .filter((name) => wanted.isMatch(join(rootDir, 'test', name)));
}
