import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HookProcessOptions, runHookProcess } from '../../../src/agent/hooks/hook-process.js';
import { AgentDirectories } from '../../support/agent-directories.js';
import { eventually } from '../../support/eventually.js';

const KIB = 1024;

describe('the process of a hook', () => {
  let at: AgentDirectories;

  beforeEach(() => (at = new AgentDirectories()));
  afterEach(() => at.remove());

  const run = (command: string, options: Partial<HookProcessOptions> = {}) =>
    runHookProcess({ command, cwd: at.base, env: process.env, input: '{}', timeoutMs: 20_000, ...options });

  /** Dead, or dead and not yet waited for by whoever has inherited it. */
  function isGone(pid: number): boolean {
    try {
      process.kill(pid, 0);
      return process.platform === 'linux' && /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return true;
    }
  }

  /** The process ids that a command has written into a file, one in a line. */
  function pidsIn(name: string, count: number): Promise<number[]> {
    return eventually(`${count} process ids in ${name}`, () => {
      try {
        const pids = readFileSync(join(at.base, name), 'utf8').trim().split('\n').map(Number);
        return pids.length === count && pids;
      } catch {
        return false;
      }
    });
  }

  async function areGone(pids: number[]): Promise<void> {
    await eventually(`the processes ${pids.join(', ')} are gone`, () => pids.every(isGone), 3_000);
  }

  it('gets its input, its directory and its environment, and tells how it ended', async () => {
    const result = await run('cat; pwd; echo "$AGENT_PLATFORM_PROJECT_DIR $COLOR" >&2; exit 3', {
      input: '{"hook_event_name":"Stop"}\n',
      env: { ...process.env, COLOR: 'red' },
    });
    expect(result).toEqual({
      exitCode: 3,
      signal: null,
      timedOut: false,
      stdout: `{"hook_event_name":"Stop"}\n${at.base}\n`,
      stderr: `${at.base} red\n`,
      durationMs: expect.any(Number),
      error: undefined,
    });
  });

  it('tells the signal that ended it', async () => {
    expect(await run('kill -SEGV $$')).toMatchObject({ exitCode: null, signal: 'SIGSEGV', timedOut: false });
  });

  it('is killed at its timeout with all its descendants, though they ignore signals', async () => {
    const command = `trap '' TERM INT HUP
      sh -c 'trap "" TERM INT HUP; echo $$ >> pids; sleep 60 & echo $! >> pids; wait' &
      echo $$ >> pids; echo started; sleep 60; wait`;
    const result = await run(command, { timeoutMs: 700 });
    expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true, stdout: 'started\n' });
    expect(result.durationMs).toBeGreaterThanOrEqual(690);
    expect(result.durationMs).toBeLessThan(5_000);
    await areGone(await pidsIn('pids', 3));
  });

  it('does not outlast its timeout when descendants in a group of their own hold its output', async () => {
    const result = await run('setsid sleep 30 & echo $! > pids; sleep 60', { timeoutMs: 300 });
    expect(result.timedOut).toBe(true);
    expect(result.durationMs).toBeLessThan(5_000);
    (await pidsIn('pids', 1)).forEach((pid) => process.kill(pid));
  });

  it('is over when it exits, though a child in the background keeps its output open, and the child lives on', async () => {
    const result = await run('sleep 30 & echo $! > pids; echo done');
    expect(result).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'done\n' });
    expect(result.durationMs).toBeLessThan(5_000);
    const [pid = 0] = await pidsIn('pids', 1);
    expect(isGone(pid)).toBe(false);
    process.kill(pid);
  });

  it('does not wait for more output than that of a moment when a child in the background writes forever', async () => {
    const result = await run('yes & echo $! > pids');
    expect(result.exitCode).toBe(0);
    expect(result.durationMs).toBeLessThan(5_000);
    await areGone(await pidsIn('pids', 1)); // nobody reads what it writes
  });

  it('may write 100 MB: all is read, little is kept', async () => {
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const result = await run('head -c 104857600 /dev/zero | tr "\\0" x; echo "$?" >&2; head -c 200000 /dev/zero >&2');
    clearInterval(watch);
    expect(result).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'x'.repeat(64 * KIB) });
    expect(result.stderr).toHaveLength(64 * KIB);
    expect(result.stderr.startsWith('0\n')).toBe(true);
    expect(peak - before).toBeLessThan(60 * KIB * KIB);
  });

  it('that writes forever is killed at its timeout', async () => {
    const result = await run('yes', { timeoutMs: 400 });
    expect(result).toMatchObject({ timedOut: true });
    expect(result.stdout).toHaveLength(64 * KIB);
    expect(result.durationMs).toBeLessThan(5_000);
  });

  it('keeps whole characters only', async () => {
    const { stdout } = await run(`printf xx; i=0; while [ $i -lt 22000 ]; do printf '€'; i=$((i+1)); done`);
    expect(stdout).toBe(`xx${'€'.repeat(Math.floor((64 * KIB - 2) / 3))}`);
  });

  it('need not read its input', async () => {
    const input = 'x'.repeat(KIB * KIB);
    expect(await run('exit 0', { input })).toMatchObject({ exitCode: 0, error: undefined });
    expect(await run('exec <&-; sleep 0.2; echo ok', { input })).toMatchObject({ exitCode: 0, stdout: 'ok\n' });
    const slow = await run('sleep 60', { input, timeoutMs: 300 });
    expect(slow).toMatchObject({ timedOut: true });
    expect(slow.durationMs).toBeLessThan(5_000);
  });

  it('can read a megabyte', async () => {
    expect(await run('wc -c', { input: 'x'.repeat(KIB * KIB) })).toMatchObject({
      stdout: expect.stringMatching(/^\s*1048576\s*$/),
    });
  });

  it('tells by its exit code that a command is not found or not executable', async () => {
    const script = at.write(join(at.base, 'hook.sh'), 'echo never');
    expect(await run('no-such-command-anywhere')).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('not found'),
    });
    expect(await run(script)).toMatchObject({ exitCode: 126, stderr: expect.stringMatching(/permission denied/i) });
  });

  it.each([
    ['its directory does not exist', { cwd: '/no/such/directory' }, /ENOENT/],
    ['its environment is too large', { env: { LARGE: 'x'.repeat(4 * KIB * KIB) } }, /E2BIG/],
    ['its command has a NUL', { command: 'echo \0' }, /null bytes/],
  ])('that cannot start is a result, not an exception: %s', async (_, options, error) => {
    let starts = 0;
    const result = await run('echo', { ...options, onStart: () => (starts += 1) });
    expect(result).toMatchObject({
      exitCode: null,
      signal: null,
      timedOut: false,
      error: expect.stringMatching(error),
    });
    expect(starts).toBe(0);
  });

  it('is ended early with its descendants', async () => {
    const stop = new AbortController();
    const running = run('sh -c "echo \\$\\$ >> pids; sleep 60; true" & echo $$ >> pids; wait', { signal: stop.signal });
    const pids = await pidsIn('pids', 2);
    const stoppedAt = performance.now();
    stop.abort();
    expect(await running).toMatchObject({ signal: 'SIGKILL', timedOut: false, error: 'stopped before its end' });
    expect(performance.now() - stoppedAt).toBeLessThan(5_000);
    await areGone(pids);
  });

  it('is not started when everything has already stopped', async () => {
    let starts = 0;
    const result = await run('touch started', { signal: AbortSignal.abort(), onStart: () => (starts += 1) });
    expect(result).toMatchObject({ exitCode: null, error: 'stopped before it began' });
    await sleep(50);
    expect(() => readFileSync(join(at.base, 'started'))).toThrow(/ENOENT/);
    expect(starts).toBe(0);
  });
});
