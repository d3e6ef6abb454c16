import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataDirectory, giveTo } from './data-directory.js';
import { spawnOptionsFor } from './database-user.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { commandLine } from './processes.js';

const LOG_LIMIT_BYTES = 1_000_000;
const STOP_TIMEOUT_MS = 120_000;
const STOP_POLL_MS = 20;

export interface Postmaster {
  pid: number;
  port: number;
  /** Its command line names this directory. */
  ours: boolean;
}

/** The running server of postmaster.pid. A file whose process is another program is removed. */
export function findPostmaster(clusterDir: string): Postmaster | null {
  const [pid, , , port] = readPidFile(clusterDir).map(Number);
  if (!pid || pid < 0 || !port) return null;
  const command = commandLine(pid);
  // Postgres replaces the file of a dead server itself, after checking for backends that are still running.
  if (command === null) return null;
  const ours = command.includes(dataDirFlag(clusterDir));
  if (ours || /(^|\/)postgres[ :]/.test(command)) return { pid, port, ours };
  removePidFile(clusterDir);
  return null;
}

function readPidFile(clusterDir: string): string[] {
  try {
    return readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export function removePidFile(clusterDir: string): void {
  rmSync(join(clusterDir, 'postmaster.pid'), { force: true });
}

export class Launch {
  private failure: string | null = null;

  private constructor(
    private readonly child: ChildProcess,
    private readonly logFile: string,
    private readonly logStart: number,
  ) {
    child.once('error', (error) => (this.failure = error.message));
    child.once('exit', (code, signal) => (this.failure ??= `it ended with ${signal ?? `status ${code}`}`));
    child.unref();
  }

  static async begin(home: DataDirectory, binaries: PostgresBinaries, settings: Record<string, string>) {
    const log = openLog(home.logFile);
    await giveTo(home.user, home.logFile);
    const fixed = {
      listen_addresses: '127.0.0.1',
      port: `${await freePort()}`,
      unix_socket_directories: '',
      timezone: 'UTC',
      log_timezone: 'UTC',
      log_parameter_max_length_on_error: '0',
    };
    const flags = Object.entries({ ...settings, ...fixed }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // Detached: Ctrl-C must not reach the database before the service has finished its requests.
    const child = spawn(join(binaries.directory, 'postgres'), ['-D', home.clusterDir, ...flags], {
      ...spawnOptionsFor(home.user),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    closeSync(log.fd);
    return new Launch(child, home.logFile, log.size);
  }

  get ended(): boolean {
    return this.failure !== null;
  }

  /** Whatever state it is in. */
  async stop(): Promise<void> {
    if (this.ended) return;
    this.child.ref();
    const ended = once(this.child, 'exit');
    this.child.kill('SIGINT');
    await ended;
  }

  /** The port was taken, backends of a killed server are still exiting, or another process was faster. */
  get worthRepeating(): boolean {
    return /could not create any TCP|shared memory block|lock file "postmaster.pid" already exists/.test(this.log());
  }

  explain(): string {
    return `${this.failure}. Its log (${this.logFile}) ends with:\n${this.log().trim().split('\n').slice(-10).join('\n')}`;
  }

  private log(): string {
    return readFileSync(this.logFile).subarray(this.logStart).toString('utf8');
  }
}

function openLog(logFile: string): { fd: number; size: number } {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.1`);
  return { fd: openSync(logFile, 'a', 0o600), size: size > LOG_LIMIT_BYTES ? 0 : size };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Aborts open transactions, writes a checkpoint and waits for the process to end. */
export async function stopPostmaster(clusterDir: string, pid: number): Promise<void> {
  if (!isRunning(clusterDir, pid)) return;
  process.kill(pid, 'SIGINT');
  for (const giveUpAt = Date.now() + STOP_TIMEOUT_MS; isRunning(clusterDir, pid); await sleep(STOP_POLL_MS)) {
    if (Date.now() > giveUpAt) throw new Error(`Postgres (process ${pid}) did not stop.`);
  }
}

export function isRunning(clusterDir: string, pid: number): boolean {
  return commandLine(pid)?.includes(dataDirFlag(clusterDir)) ?? false;
}

function dataDirFlag(clusterDir: string): string {
  return `-D ${clusterDir} `;
}
