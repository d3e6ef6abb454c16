/** Owns the database in the directory given as argument, until it is killed or stopped. */
import { EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js';

const postgres = await EmbeddedPostgres.start({
  dataDir: process.argv[2] ?? '',
  settings: { fsync: 'off' },
  onProgress: (message) => process.stderr.write(`${message}\n`),
});
process.stdout.write(`${postgres.url}\n`);
process.once('SIGTERM', () => void postgres.stop().then(() => process.exit(0)));
setInterval(() => undefined, 60_000);
