import { mkdtemp, readdir, readFile, rm, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { connectionTargets } from '../../dist/database/connection-settings.js';
import { EmbeddedPostgres } from '../../dist/embedded-postgres/embedded-postgres.js';
import { migrate } from '../../dist/database/migrator.js';

const SETTINGS = { shared_buffers: '1GB', max_wal_size: '8GB', max_connections: '200', maintenance_work_mem: '1GB' };
const TICKS_PER_SECOND = 100;

/** A Postgres of its own for one run, with durability as in production. */
export async function startCluster() {
  const dataDir = await mkdtemp(join(tmpdir(), 'agent-platform-bench-'));
  await chmod(dataDir, 0o711);
  const server = await EmbeddedPostgres.start({ dataDir, onProgress: () => undefined, settings: SETTINGS });
  const targets = connectionTargets({ appUrl: null, directUrl: null, appRole: null }, server.url);
  await migrate(targets, () => undefined);
  const postmaster = Number(
    (await readFile(join(server.dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n', 1)[0],
  );
  return {
    url: server.url,
    cpuSeconds: () => serverCpuSeconds(postmaster),
    requestRole: targets.requestRole,
    async query(sql, values) {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      try {
        return (await client.query(sql, values)).rows;
      } finally {
        await client.end();
      }
    },
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** CPU seconds that a process has used. */
export async function cpuSeconds(pid) {
  const { own } = await readStat(pid);
  return own;
}

/** Memory that a process holds. */
export async function residentMiB(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
}

/** CPU seconds of the whole server: its processes, and those that have ended. */
async function serverCpuSeconds(postmaster) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readStat(pid).catch(() => null)));
  const children = stats.filter((stat) => stat?.parent === postmaster);
  return children.reduce((sum, stat) => sum + stat.own, (await readStat(postmaster)).endedChildren);
}

async function readStat(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return {
    parent: fields[1],
    own: (fields[11] + fields[12]) / TICKS_PER_SECOND,
    endedChildren: (fields[13] + fields[14]) / TICKS_PER_SECOND,
  };
}
