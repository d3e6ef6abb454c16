import 'reflect-metadata';
import { createLogger } from '../../dist/common/logging/logger.js';
import { SystemClock } from '../../dist/common/time/clock.js';
import { AppConfig } from '../../dist/config/app-config.js';
import { createApp } from '../../dist/setup-app.js';
import { createFirstOrganization, openDatabase } from '../../dist/startup.js';

/* The service, a day ahead: for it, what happens now happened yesterday, and yesterday can be read in analytics. */
class Tomorrow extends SystemClock {
  now() {
    return new Date(Date.now() + 24 * 3600_000);
  }
}

const config = AppConfig.fromEnv(process.env);
const { nest } = await createApp(config, createLogger({ level: 'warn', format: 'json' }), new Tomorrow());
await nest.listen(0, '127.0.0.1');
const options = { progress: () => undefined, signal: new AbortController().signal, joinRunning: false };
const closeDatabase = await openDatabase(nest, options);
const created = await createFirstOrganization(nest);
console.log(`READY ${await nest.getUrl()} ${created.apiKey.key}`);
process.once('SIGTERM', async () => {
  await nest.close();
  await closeDatabase();
  process.exit(0);
});
