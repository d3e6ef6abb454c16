import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { AgentExited } from './agent-driver.js';
import { isGroupGoneWithin, signalGroup } from '../shared/process-group.js';

const DEFAULT_GRACE_MS = 2_000;
/** Killed processes end at once, unless they wait for a broken disk. */
const KILL_WAIT_MS = 2_000;
const MAX_STDERR_BYTES = 8 * 1024;

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program in its own process group, so that the processes it starts end with it. */
export class ChildGroup {
  /** Resolves when the program itself has ended; others of its group may run until `end`. */
  readonly exited: Promise<ChildExit>;
  /** Null while it runs, and when it was ended by `end`. */
  ownExit: ChildExit | null = null;
  private errorOutput = Buffer.alloc(0);
  private ending: Promise<void> | null = null;
  private readonly sent = new Set<NodeJS.Signals>();

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    readonly pid: number,
    private readonly graceMs: number,
  ) {
    this.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    void this.exited.then((exit) => {
      if (exit.signal === null || !this.sent.has(exit.signal)) this.ownExit = exit;
    });
    child.stdin.on('error', () => undefined); // it has ended, which `exited` tells
    child.stderr.on('data', (data: Buffer) => {
      this.errorOutput = Buffer.concat([this.errorOutput, data]).subarray(-MAX_STDERR_BYTES);
    });
  }

  static async start({ command, args, cwd, env, graceMs = DEFAULT_GRACE_MS }: ChildOptions): Promise<ChildGroup> {
    if (!existsSync(cwd)) throw new AgentExited(`Cannot start ${command}: there is no directory ${cwd}.`);
    const cannotStart = (error: Error) => {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const reason = isMissing ? 'there is no such command' : error.message;
      return new AgentExited(`Cannot start ${command}: ${reason}.`, { cause: error });
    };
    return new Promise((resolve, reject) => {
      try {
        const child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
        const { pid } = child;
        child.once('error', (error) => reject(cannotStart(error)));
        if (pid !== undefined) child.once('spawn', () => resolve(new ChildGroup(child, pid, graceMs)));
      } catch (error) {
        reject(cannotStart(error as Error)); // an empty name, or invalid arguments
      }
    });
  }

  get stdin(): Writable {
    return this.child.stdin;
  }

  get stdout(): Readable {
    return this.child.stdout;
  }

  get stderrTail(): string {
    return this.errorOutput.toString().trim();
  }

  /** Resolves when all processes of the group have ended and their output is read. */
  end(): Promise<void> {
    this.ending ??= this.endGroup();
    return this.ending;
  }

  private async endGroup(): Promise<void> {
    this.child.stdin.destroy();
    this.signal('SIGTERM');
    if (!(await isGroupGoneWithin(this.pid, this.graceMs))) {
      this.signal('SIGKILL');
      await isGroupGoneWithin(this.pid, KILL_WAIT_MS);
    }
    await Promise.all([this.child.stdout, this.child.stderr].map((stream) => readToEnd(stream as Socket)));
  }

  private signal(name: NodeJS.Signals): void {
    this.sent.add(name);
    signalGroup(this.pid, name);
  }
}

/** Reads the rest of a pipe, until nothing comes: a process that has left the group may hold it open for ever. */
async function readToEnd(stream: Socket): Promise<void> {
  for (let read = -1; !stream.closed && stream.bytesRead !== read;) {
    read = stream.bytesRead;
    await yieldToEventLoop();
    await yieldToEventLoop();
  }
  stream.destroy();
}
