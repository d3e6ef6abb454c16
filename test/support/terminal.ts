import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { eventually } from './eventually.js';

/** Only `script` of util-linux has these options. */
export const hasTerminals = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout || '');

const CTRL_C = '\u0003';

/** A command in its own pseudo-terminal, with process group and signals. */
export class Terminal {
  private text = '';
  private readonly exit: Promise<number | null>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (data: Buffer) => (this.text += data.toString()));
    this.exit = new Promise((done) => child.once('close', (code) => done(code)));
  }

  static open(command: string, env: Record<string, string>): Terminal {
    const options = { env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env } };
    return new Terminal(
      spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], options),
    );
  }

  get output(): string {
    return this.text;
  }

  pressCtrlC(): void {
    this.child.stdin?.write(CTRL_C);
  }

  close(): void {
    this.child.kill('SIGKILL');
  }

  async printed(pattern: RegExp, timeoutMs = 30_000): Promise<RegExpExecArray> {
    return eventually(`the terminal shows ${String(pattern)}`, () => pattern.exec(this.text), timeoutMs).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}; it showed:\n${this.text}`);
      },
    );
  }

  ended(): Promise<number | null> {
    return this.exit;
  }
}
