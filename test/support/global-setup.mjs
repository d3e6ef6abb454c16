import { startDatabaseServer } from './database-server.mjs';

/** One server for the whole run; every test file works in its own copy of the template. */
export default async function setUp() {
  const server = await startDatabaseServer(process.env);
  globalThis.testDatabaseServer = server;
  process.env.TEST_SERVER_URL = server.url;
  process.env.TEST_TEMPLATE_DATABASE = server.template.name;
  process.env.TEST_APP_ROLE = server.template.appRole;
}
