import { type ChildProcessByStdio, spawn, type SpawnOptionsWithStdioTuple, type StdioPipe } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { signalGroup } from '../shared/process-group.js';
import { BoundedOutput } from './bounded-output.js';

const MAX_OUTPUT_BYTES = 64 * 1024;
/** For output after the exit: a child process may hold the pipes open. */
const DRAIN_MS = 100;
/** For the exit after SIGKILL, which a process in a kernel call may delay. */
const KILL_WAIT_MS = 1_000;

export interface HookProcessOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Standard input. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called when the process exists. */
  readonly onStart?: () => void;
}

export interface HookProcessResult {
  /** Null when a signal ended it, or it did not start. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  /** The first 64 KiB. */
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  /** Why it did not start, or was stopped early. */
  readonly error?: string;
}

/** Runs a shell command, at most until its timeout. Never rejects. */
export async function runHookProcess(options: HookProcessOptions): Promise<HookProcessResult> {
  const startedAt = performance.now();
  const ended = (outcome: Partial<HookProcessResult>): HookProcessResult => ({
    exitCode: null,
    signal: null,
    timedOut: false,
    stdout: '',
    stderr: '',
    durationMs: Math.round(performance.now() - startedAt),
    ...outcome,
  });
  if (options.signal?.aborted) return ended({ error: 'stopped before it began' });
  try {
    const child = start(options);
    return ended(await new HookProcess(child, options).end());
  } catch (error) {
    return ended({ error: error instanceof Error ? error.message : String(error) });
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function start({ command, cwd, env }: HookProcessOptions): Child {
  const options: SpawnOptionsWithStdioTuple<StdioPipe, StdioPipe, StdioPipe> = {
    cwd,
    env: { ...env, AGENT_PLATFORM_PROJECT_DIR: cwd },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  };
  if (process.platform === 'win32') return spawn(command, { ...options, shell: true });
  // Detached: in its own process group, which can be killed as a whole.
  return spawn('/bin/sh', ['-c', command], { ...options, detached: true });
}

class HookProcess {
  private readonly stdout: BoundedOutput;
  private readonly stderr: BoundedOutput;
  private timedOut = false;
  private error: string | undefined;

  constructor(
    private readonly child: Child,
    private readonly options: HookProcessOptions,
  ) {
    this.stdout = new BoundedOutput(child.stdout, MAX_OUTPUT_BYTES);
    this.stderr = new BoundedOutput(child.stderr, MAX_OUTPUT_BYTES);
  }

  async end(): Promise<Partial<HookProcessResult>> {
    const { child, options } = this;
    if (child.pid !== undefined) options.onStart?.();
    child.stdin.on('error', () => undefined); // a hook may ignore its input
    child.stdin.end(options.input);

    const { exitCode, signal } = await this.exit();
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    child.unref();
    const { timedOut, error } = this;
    return { exitCode, signal, timedOut, stdout: this.stdout.text, stderr: this.stderr.text, error };
  }

  /** Resolves when the process has exited and its output is read, or after the grace periods above. */
  private exit(): Promise<Pick<HookProcessResult, 'exitCode' | 'signal'>> {
    const { child, options } = this;
    return new Promise((resolve) => {
      const timers: NodeJS.Timeout[] = [];
      const finish = () => {
        timers.forEach(clearTimeout);
        options.signal?.removeEventListener('abort', stop);
        // Node has a negative error number here if the process did not start.
        const exitCode = child.pid === undefined ? null : child.exitCode;
        resolve({ exitCode, signal: child.signalCode });
      };
      const kill = () => {
        if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
        timers.push(setTimeout(finish, KILL_WAIT_MS));
      };
      const stop = () => {
        this.error = 'stopped before its end';
        kill();
      };
      const timeOut = () => {
        this.timedOut = true;
        kill();
      };
      const timeout = setTimeout(timeOut, options.timeoutMs);
      timers.push(timeout);
      options.signal?.addEventListener('abort', stop, { once: true });
      child.once('error', (error) => {
        this.error = error.message;
        finish();
      });
      child.once('exit', () => {
        clearTimeout(timeout);
        options.signal?.removeEventListener('abort', stop);
        timers.push(setTimeout(finish, DRAIN_MS));
      });
      child.once('close', finish);
    });
  }
}
