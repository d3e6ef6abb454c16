import { realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AdminConnect, isPassing } from './admin-connection.js';
import type { DataDirectory } from './data-directory.js';
import { findPostmaster, Launch, type Postmaster, removePidFile } from './postmaster.js';
import type { PostgresBinaries } from './postgres-binaries.js';

const POLL_MS = 40;
const REPEAT_FOR_MS = 10_000;
const ANNOUNCE_AFTER_MS = 3_000;
/** Recovery after a crash can take minutes. */
const GIVE_UP_AFTER_MS = 5 * 60_000;

export interface ServerRequest {
  home: DataDirectory;
  binaries: PostgresBinaries;
  connect: AdminConnect;
  settings: Record<string, string>;
  onProgress: (message: string) => void;
  /** Aborts the start; a server that was started for it is stopped. */
  signal?: AbortSignal;
}

export interface ReachedServer extends Postmaster {
  launched: boolean;
}

/** Starts a server if none runs, and waits until it answers. */
export async function reachServer(request: ServerRequest): Promise<ReachedServer> {
  const { home, binaries, settings, onProgress, signal } = request;
  const begin = Date.now();
  let launch: Launch | null = null;
  for (let announced = false; Date.now() - begin < GIVE_UP_AFTER_MS; await sleep(POLL_MS)) {
    if (signal?.aborted) {
      await launch?.stop();
      throw signal.reason;
    }
    const found = findPostmaster(home.clusterDir);
    if (found && (await answers(found, request))) return { ...found, launched: launch !== null };
    if (!found && (launch === null || launch.ended)) {
      if (!launch) onProgress(`Starting Postgres ${binaries.majorVersion} ...`);
      else if (!launch.worthRepeating || Date.now() - begin > REPEAT_FOR_MS) {
        throw new Error(`Postgres did not start: ${launch.explain()}`);
      } else await sleep(5 * POLL_MS);
      launch = await Launch.begin(home, binaries, settings);
    }
    if (!announced && Date.now() - begin > ANNOUNCE_AFTER_MS) {
      onProgress('Waiting for Postgres (it may be recovering from an unclean stop) ...');
      announced = true;
    }
  }
  throw new Error(`Postgres in ${home.clusterDir} does not answer; see ${home.logFile}.`);
}

async function answers({ pid, port, ours }: Postmaster, { home, connect }: ServerRequest): Promise<boolean> {
  const served = await servedDirectory(port, connect).catch((error: unknown) => {
    if (ours && !isPassing(error)) throw error;
    return null;
  });
  if (served === home.clusterDir) return true;
  if (served !== null) {
    throw new Error(
      `Postgres process ${pid} is using ${served} and is also named in ${home.clusterDir}/postmaster.pid. ` +
        'If the directory was moved, stop that process; if it is a copy, delete that file.',
    );
  }
  // The pid now belongs to another Postgres.
  if (!ours && findPostmaster(home.clusterDir)?.pid === pid) removePidFile(home.clusterDir);
  return false;
}

async function servedDirectory(port: number, connect: AdminConnect): Promise<string> {
  const client = await connect(port);
  try {
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    const directory = rows[0]?.data_directory ?? '';
    return await realpath(directory).catch(() => directory);
  } finally {
    await client.end();
  }
}
