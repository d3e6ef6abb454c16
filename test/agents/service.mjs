import 'reflect-metadata';
import { createLogger } from '../../dist/common/logging/logger.js';
import { SystemClock } from '../../dist/common/time/clock.js';
import { AppConfig } from '../../dist/config/app-config.js';
import { createApp } from '../../dist/setup-app.js';
import { createFirstOrganization, openDatabase } from '../../dist/startup.js';

/*
 * The service, a day ahead: for it, what happens now happened yesterday, and yesterday can be read in analytics. With CLOCK=now
 * it goes right until SIGUSR2, which makes a day pass.
 */
const DAY_MS = 24 * 3600_000;
let aheadMs = process.env.CLOCK === 'now' ? 0 : DAY_MS;
class AheadClock extends SystemClock {
  now() {
    return new Date(Date.now() + aheadMs);
  }
}
process.on('SIGUSR2', () => (aheadMs = DAY_MS));

const config = AppConfig.fromEnv(process.env);
const { nest } = await createApp(config, createLogger({ level: 'warn', format: 'json' }), { clock: new AheadClock() });
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
