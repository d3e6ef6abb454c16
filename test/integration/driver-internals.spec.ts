import { Writable } from 'node:stream';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { corkUntilNextTick, destroyConnection, poolOf, streamOf } from '../../src/database/driver-internals.js';
import { serverUrl } from '../support/test-database.js';

/** Fails with a sentence that names the package whose update broke `driver-internals.ts`. */
function holds(isSo: boolean, change: string): void {
  if (!isSo) throw new Error(`${change}: adapt driver-internals.ts`);
}

describe('the private parts of database drivers are as before:', () => {
  it('the pool inside a data source of typeorm', async () => {
    const dataSource = new DataSource({ type: 'postgres', url: serverUrl() });
    await dataSource.initialize();
    try {
      const pool = poolOf(dataSource) as unknown;
      holds(pool instanceof pg.Pool, 'typeorm keeps its pg pool no longer in DataSource.driver.master');
    } finally {
      await dataSource.destroy();
    }
  });

  describe('the socket inside a client of pg', () => {
    let client: pg.Client;

    beforeEach(async () => {
      client = new pg.Client({ connectionString: serverUrl() });
      client.on('error', () => undefined);
      await client.connect();
    });
    afterEach(() => client.end().catch(() => undefined));

    it('holds statements back until the next tick', async () => {
      holds(
        (streamOf(client) as unknown) instanceof Writable,
        'pg keeps its socket no longer in Client.connection.stream',
      );
      corkUntilNextTick(client);
      const result = client.query('SELECT 1 AS one');
      holds(streamOf(client).writableLength > 0, 'pg does not write statements to Client.connection.stream at once');
      holds((await result).rowCount === 1, 'pg does not answer what was corked on Client.connection.stream');
    });

    it('fails what is running when it is destroyed', async () => {
      const running = client.query('SELECT pg_sleep(5)').then(
        () => 'answered',
        (error: unknown) => String(error),
      );
      destroyConnection(client, 'Connection terminated: on purpose');
      const outcome = await running;
      holds(
        outcome.includes('Connection terminated'),
        `pg says "${outcome}" when Client.connection.stream is destroyed`,
      );
    });
  });
});
