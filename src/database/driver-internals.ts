import type { Writable } from 'node:stream';
import type { ClientBase, Pool } from 'pg';
import type { DataSource } from 'typeorm';

// The only places that use private parts of pg and TypeORM. `driver-internals.spec.ts` fails when an update changes them.

export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

export function streamOf(client: ClientBase): Writable {
  return (client as unknown as { connection: { stream: Writable } }).connection.stream;
}

/** Whatever is sent on this connection until the next tick leaves in one packet. */
export function corkUntilNextTick(client: ClientBase): void {
  const stream = streamOf(client);
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Closes the socket at once; statements that wait for a result on it fail with `why`. */
export function destroyConnection(client: ClientBase, why: string): void {
  streamOf(client).destroy(new Error(why));
}
