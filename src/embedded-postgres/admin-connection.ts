import pg from 'pg';
import { SUPERUSER } from './initialize-cluster.js';

export type AdminConnect = (port: number) => Promise<pg.Client>;

/** To the maintenance database, so that the application's own can be created and dropped. */
export function adminConnect(password: string): AdminConnect {
  return async (port) => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: SUPERUSER,
      password,
      database: 'postgres',
      ssl: false,
      keepAlive: true,
      application_name: 'agent-platform database owner',
      connectionTimeoutMillis: 10_000,
    });
    // Without a listener, a lost connection would end the process; the next query fails anyway.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
}

/** The server is starting, recovering, stopping or gone: worth a retry. */
export function isPassing(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', '53300'].includes(code) ||
    /^(Connection terminated|timeout expired)/.test(message)
  );
}
