import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { SUPERUSER } from '../../src/embedded-postgres/initialize-cluster.js';
import { findPostmaster } from '../../src/embedded-postgres/postmaster.js';
import { eventually } from './eventually.js';

type Environment = Record<string, string>;

/** The exit status is null when a signal ended it. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the built program with its own environment and an empty working directory. */
export class Program {
  private text = '';
  private readonly exit: Promise<number | null>;
  private hasEnded = false;

  private constructor(private readonly child: ChildProcess) {
    const collect = (data: Buffer) => (this.text += data.toString());
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    this.exit = new Promise((done) => child.once('close', (code) => done(code)));
    void this.exit.then(() => (this.hasEnded = true));
  }

  static start(file: string, args: string[], env: Environment, cwd: string): Program {
    const options = { cwd, env: { PATH: process.env.PATH ?? '', ...env } };
    return new Program(spawn(process.execPath, [resolve('dist', file), ...args], options));
  }

  get output(): string {
    return this.text;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Writes to its standard input and closes it. */
  tell(text: string): this {
    this.child.stdin?.end(text);
    return this;
  }

  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void {
    this.child.kill(name);
  }

  async ended(): Promise<Ended> {
    return { code: await this.exit, output: this.text };
  }

  async printed(pattern: RegExp, timeoutMs = 20_000): Promise<RegExpExecArray> {
    return eventually(
      `the program prints ${String(pattern)}; it printed:\n${this.text}`,
      () => {
        const match = pattern.exec(this.text);
        if (!match && this.hasEnded)
          throw new Error(`The program ended before it printed ${String(pattern)}:\n${this.text}`);
        return match;
      },
      timeoutMs,
    );
  }

  /** The address in the ready message. */
  async ready(timeoutMs?: number): Promise<string> {
    const [, url = ''] = await this.printed(/Agent Platform is ready\.[^]*? API\s+(http\S+)\n/, timeoutMs);
    return url;
  }
}

/** A directory for programs with an embedded database. Removes everything at the end, and stops the programs. */
export class Playground {
  readonly directory: string;
  private readonly programs: Program[] = [];

  constructor() {
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), 'agent-platform-program-')));
    chmodSync(this.directory, 0o755); // as root, Postgres runs as another user and needs access
  }

  get dataDir(): string {
    return join(this.directory, '.data');
  }

  service(env: Environment = {}): Program {
    return this.program('main.js', [], { PORT: '0', LOG_FORMAT: 'json', ...env });
  }

  cli(...args: string[]): Promise<Ended> {
    return this.program('cli.js', args, { LOG_FORMAT: 'json' }).ended();
  }

  isDatabaseRunning(): boolean {
    return findPostmaster(join(this.dataDir, 'postgres')) !== null;
  }

  get databaseLog(): string {
    const file = join(this.dataDir, 'postgres.log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** Connects to the running embedded database as administrator. */
  async connect(): Promise<pg.Client> {
    const password = readFileSync(join(this.dataDir, 'postgres-password'), 'utf8').trim();
    const port = findPostmaster(join(this.dataDir, 'postgres'))?.port;
    const client = new pg.Client(`postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/agent_platform`);
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async remove(): Promise<void> {
    for (const program of this.programs) program.signal('SIGKILL');
    await Promise.all(this.programs.map((program) => program.ended()));
    const postmaster = findPostmaster(join(this.dataDir, 'postgres'));
    if (postmaster?.ours) process.kill(postmaster.pid, 'SIGQUIT');
    await eventually('the embedded database is gone', () => !this.isDatabaseRunning());
    rmSync(this.directory, { recursive: true, force: true });
  }

  program(file: string, args: string[], env: Environment): Program {
    const program = Program.start(file, args, { DATA_DIR: this.dataDir, ...env }, this.directory);
    this.programs.push(program);
    return program;
  }
}
