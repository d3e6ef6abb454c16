import type { PoolClient } from 'pg';
import type { SystemDatabase } from './system-database.js';

/** A Postgres process. With its start time, because process ids are reused. */
interface Backend {
  readonly pid: number;
  readonly startedAt: string;
}

interface BackendState {
  readonly isBusy: boolean;
  readonly since: string;
}

export interface ConnectionWatchOptions {
  readonly system: SystemDatabase;
  readonly checkMs: number;
  readonly onLost: (why: string) => void;
}

/**
 * Detects that the connection of a long transaction was lost silently: asks Postgres, on another connection, whether
 * its backend is gone or has been waiting for this process for two checks in a row.
 */
export class ConnectionWatch {
  private readonly timer: NodeJS.Timeout;
  private idleSince: string | null = null;
  private isEnded = false;
  private isChecking = false;

  private constructor(
    private readonly backend: Backend,
    private readonly options: ConnectionWatchOptions,
  ) {
    this.timer = setInterval(() => void this.check(), options.checkMs);
    this.timer.unref();
  }

  /**
   * Has to be called inside a transaction: PgBouncer may switch the backend afterwards. Postgres on Windows cannot
   * check whether its client is gone.
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
    this.isEnded = true;
    clearInterval(this.timer);
  }

  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      const state = await this.readState();
      if (this.isEnded) return;
      if (state && (state.isBusy || state.since !== this.idleSince)) {
        this.idleSince = state.isBusy ? null : state.since;
        return;
      }
      this.end();
      this.options.onLost(state ? 'its backend waits for us' : 'its backend is gone');
      if (state) await this.terminate(); // it may hold locks
    } catch {
      // Without an answer nothing is known; the next check asks again.
    } finally {
      this.isChecking = false;
    }
  }

  private async readState(): Promise<BackendState | undefined> {
    const [state] = await this.options.system.query<BackendState>(
      `SELECT a.state = 'active' AND a.wait_event_type IS DISTINCT FROM 'Client' AS "isBusy", a.state_change::text AS since
         FROM pg_stat_activity a WHERE a.pid = $1 AND a.backend_start = $2::timestamptz`,
      [this.backend.pid, this.backend.startedAt],
    );
    return state;
  }

  private async terminate(): Promise<void> {
    await this.options.system.query(
      `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid = $1 AND a.backend_start = $2::timestamptz`,
      [this.backend.pid, this.backend.startedAt],
    );
  }
}
