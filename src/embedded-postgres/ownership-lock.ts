import type pg from 'pg';

const LOCK_KEY = 7_402_118_365;
const RETRY_MS = 500;

/** Marks the process that will stop the server: an advisory lock on its own connection, which ends with the process. */
export class OwnershipLock {
  private released = false;

  private constructor(
    private client: pg.Client,
    private readonly connect: () => Promise<pg.Client>,
    private readonly serverRuns: () => boolean,
  ) {
    this.watch();
  }

  /** null when another process holds it. */
  static async tryAcquire(connect: () => Promise<pg.Client>, serverRuns: () => boolean): Promise<OwnershipLock | null> {
    const client = await connect();
    return (await tryLock(client)) ? new OwnershipLock(client, connect, serverRuns) : null;
  }

  /** Call after the server has stopped: earlier, another process could take over a stopping server. */
  async release(): Promise<void> {
    this.released = true;
    await this.client.end().catch(() => undefined);
  }

  private watch(): void {
    // Missing in @types/pg. The lock must not keep a finished process alive.
    (this.client as pg.Client & { unref(): void }).unref();
    this.client.once('end', () => this.reacquireLater());
  }

  /** A crashed backend makes the server drop all connections, but it keeps running and keeps its owner. */
  private reacquireLater(): void {
    if (this.released || !this.serverRuns()) return;
    setTimeout(() => void this.reacquire(), RETRY_MS).unref();
  }

  private async reacquire(): Promise<void> {
    if (this.released) return;
    try {
      const client = await this.connect();
      if (!(await tryLock(client))) return this.reacquireLater();
      this.client = client;
      this.watch();
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- it may have been released meanwhile
      if (this.released) await client.end();
    } catch {
      this.reacquireLater();
    }
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  let locked = false;
  try {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [LOCK_KEY]);
    locked = rows[0]?.locked === true;
    return locked;
  } finally {
    if (!locked) await client.end().catch(() => undefined);
  }
}
