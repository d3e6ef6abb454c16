import type { PoolClient } from 'pg';
import type { SystemDatabase } from './system-database.js';

/** One process of Postgres. Its start is part of it: process ids are used again, also by the next server. */
interface Backend {
  readonly pid: number;
  readonly startedAt: string;
}

interface Sighting {
  /** Whether it works, and does not wait for what this process says or reads. */
  readonly isBusy: boolean;
  readonly since: string;
}

export interface ConnectionWatchOptions {
  readonly system: SystemDatabase;
  readonly checkMs: number;
  readonly onLost: (why: string) => void;
}

/**
 * Notices that the connection of a long transaction was lost silently: asks Postgres, on another connection, what the
 * backend of this one does. A statement may take as long as it likes; a backend that is gone, or that waits for this
 * process twice in a row without having done anything in between, got no question or could not deliver its answer.
 */
export class ConnectionWatch {
  private readonly timer: NodeJS.Timeout;
  private idleSince: string | null = null;
  private isOver = false;
  private isAsking = false;

  private constructor(
    private readonly backend: Backend,
    private readonly options: ConnectionWatchOptions,
  ) {
    this.timer = setInterval(() => void this.check(), options.checkMs);
    this.timer.unref();
  }

  /**
   * `client` has to be inside a transaction: behind PgBouncer its backend may be another one afterwards. Also tells Postgres
   * to end a statement when its client is gone, which Postgres cannot do on Windows.
   */
  static async begin(client: PoolClient, options: ConnectionWatchOptions): Promise<ConnectionWatch> {
    const { rows } = await client.query<Backend>(
      `SELECT a.pid, a.backend_start::text AS "startedAt",
              CASE WHEN version() !~* 'visual c|mingw'
                   THEN set_config('client_connection_check_interval', $1, true) END AS "checkInterval"
         FROM pg_stat_activity a WHERE a.pid = pg_backend_pid()`,
      [`${options.checkMs}`],
    );
    if (!rows[0]) throw new Error('A connection does not find itself in pg_stat_activity');
    return new ConnectionWatch(rows[0], options);
  }

  end(): void {
    this.isOver = true;
    clearInterval(this.timer);
  }

  private async check(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      const sighting = await this.look();
      if (this.isOver) return;
      if (sighting && (sighting.isBusy || sighting.since !== this.idleSince)) {
        this.idleSince = sighting.isBusy ? null : sighting.since;
        return;
      }
      this.end();
      this.options.onLost(sighting ? 'its backend waits for us' : 'its backend is gone');
      if (sighting) await this.terminate(); // it may hold locks
    } catch {
      // While the database cannot be asked, nothing is known.
    } finally {
      this.isAsking = false;
    }
  }

  private async look(): Promise<Sighting | undefined> {
    const [sighting] = await this.options.system.query<Sighting>(
      `SELECT a.state = 'active' AND a.wait_event_type IS DISTINCT FROM 'Client' AS "isBusy", a.state_change::text AS since
         FROM pg_stat_activity a WHERE a.pid = $1 AND a.backend_start = $2::timestamptz`,
      [this.backend.pid, this.backend.startedAt],
    );
    return sighting;
  }

  private async terminate(): Promise<void> {
    await this.options.system.query(
      `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid = $1 AND a.backend_start = $2::timestamptz`,
      [this.backend.pid, this.backend.startedAt],
    );
  }
}
