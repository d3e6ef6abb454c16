import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { eventually } from './eventually.js';

const MARK = '\u001e';
const COMMAND_MS = 60_000;

/** A shell into which commands are typed. */
export class BashSession {
  private text = '';
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly exit: Promise<void>;

  constructor(env: Record<string, string>) {
    // A process group of its own, so that everything started in it ends with it.
    this.child = spawn('bash', ['--norc', '--noprofile'], { env, detached: true });
    this.child.stdout.on('data', (data: Buffer) => (this.text += data.toString()));
    this.exit = new Promise((done) => this.child.once('close', () => done()));
    this.child.stdin.write('exec 2>&1\n');
  }

  /** Everything printed so far. */
  get output(): string {
    return this.text;
  }

  start(command: string): void {
    this.child.stdin.write(`${command}\n`);
  }

  /** Resolves with what the command printed; fails when the command does. */
  async run(command: string): Promise<string> {
    this.text = '';
    this.start(`${command}\nprintf '${MARK}%s${MARK}' $?`);
    const done = new RegExp(`${MARK}(\\d+)${MARK}$`);
    const [mark, status] = await eventually(`the end of ${command}`, () => done.exec(this.text), COMMAND_MS);
    const printed = this.text.slice(0, -mark.length).trim();
    if (status !== '0') throw new Error(`${command}\nended with ${status}:\n${printed}`);
    return printed;
  }

  async end(): Promise<void> {
    const hasEnded = this.child.exitCode !== null || this.child.signalCode !== null;
    if (this.child.pid !== undefined && !hasEnded) process.kill(-this.child.pid, 'SIGTERM');
    await this.exit;
  }
}
