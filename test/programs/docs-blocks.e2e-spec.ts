import { spawnSync } from 'node:child_process';
import { BashSession } from '../support/bash-session.js';
import { blocksOf, type Command } from '../support/console-blocks.js';
import { describeWith } from '../support/describe-with.js';
import { eventually } from '../support/eventually.js';
import { Playground, type Program } from '../support/program.js';
import { differenceOf, type Strictness } from '../support/shown-output.js';

const ADDRESS = 'http://127.0.0.1:3000';
/** Somebody who types is slower than an agent that answers. */
const ANSWER_MS = 15_000;

/** The `shell` blocks, each in a terminal of its own, and how the test runs it. */
const ENDLESS = new Map<string, string>([
  ['npm start', 'it runs already, as the built program with a data directory of its own'],
  ['npm run agent -- connect', 'in a terminal that knows no key, until the end of the page'],
  ['curl -sN', 'in the terminal of the reader, for as long as it takes to see what is shown'],
]);

const hasJq = spawnSync('jq', ['--version']).status === 0;

/** Types what a page shows, as a reader would, into a fresh service. */
class Reader {
  private readonly place = new Playground();
  private readonly env: Record<string, string>;
  private readonly terminals: BashSession[] = [];
  private service: Program;
  private url = '';
  private key = '';

  constructor() {
    this.env = { PATH: process.env.PATH ?? '', HOME: this.place.directory, DATA_DIR: this.place.dataDir };
    this.service = this.place.service();
  }

  async start(): Promise<void> {
    this.url = await this.service.ready(60_000);
    [this.key] = await this.service.printed(/apk_\w{49}/);
  }

  async end(): Promise<void> {
    await Promise.all(this.terminals.map((terminal) => terminal.end()));
    this.service.signal('SIGTERM');
    await this.service.ended();
    await this.place.remove();
  }

  /** Returns what differs from the page. */
  async follow(page: string, strictness: Strictness): Promise<string[]> {
    const terminal = this.open();
    const opened: BashSession[] = [];
    const differences: string[] = [];
    for (const { language, commands } of blocksOf(page)) {
      for (const command of commands) {
        const isEndless = language === 'shell';
        const difference = isEndless
          ? await this.watch(command, terminal, opened, strictness)
          : await this.type(command, terminal, strictness);
        if (difference !== null) differences.push(`${command.text}\n${difference}`);
      }
    }
    for (const other of opened) await other.end();
    return differences;
  }

  private async type(command: Command, terminal: BashSession, strictness: Strictness): Promise<string | null> {
    const isRead = !/ -[dX] |\$\(|\|/.test(command.text);
    const deadline = performance.now() + (isRead ? ANSWER_MS : 0);
    for (;;) {
      const printed = await terminal.run(this.adapted(command.text));
      const difference = command.shown === '' ? null : differenceOf(this.adapted(command.shown), printed, strictness);
      if (difference === null || performance.now() > deadline) return difference;
    }
  }

  private async watch(
    { text, shown }: Command,
    terminal: BashSession,
    opened: BashSession[],
    strictness: Strictness,
  ): Promise<string | null> {
    const start = [...ENDLESS.keys()].find((known) => text.startsWith(known));
    if (start === undefined) return 'is not in ENDLESS';
    if (start === 'npm start') return differenceOf(this.adapted(shown), this.service.output, strictness);
    if (start === 'curl -sN') {
      const printed = await terminal.run(`timeout 3 ${this.adapted(text)} || true`);
      return differenceOf(shown, printed, strictness);
    }
    const other = this.open();
    opened.push(other);
    other.start(`exec ${text}`);
    await eventually(`${text} connects`, () => other.output.includes('Connected as'), ANSWER_MS);
    return differenceOf(shown, other.output, strictness);
  }

  private open(): BashSession {
    const terminal = new BashSession(this.env);
    this.terminals.push(terminal);
    return terminal;
  }

  /** The address of this service, and the key that it printed. */
  private adapted(text: string): string {
    return text.replaceAll(ADDRESS, this.url).replace(/\bapk_\.\.\./, this.key);
  }
}

describeWith('jq', hasJq)('the console blocks', () => {
  let reader: Reader;
  beforeEach(async () => {
    reader = new Reader();
    await reader.start();
  }, 90_000);
  afterEach(() => reader.end(), 30_000);

  it('of the tour do on an empty installation what it shows', async () => {
    await expect(reader.follow('docs/tour.md', 'values')).resolves.toEqual([]);
  }, 120_000);

  it('of the README do what it shows, and those of the tour work after them', async () => {
    await expect(reader.follow('README.md', 'values')).resolves.toEqual([]);
    await expect(reader.follow('docs/tour.md', 'shape')).resolves.toEqual([]);
  }, 180_000);
});

describe('the blocks that do not end', () => {
  it('are all known here', () => {
    const commands = ['README.md', 'docs/tour.md']
      .flatMap(blocksOf)
      .filter(({ language }) => language === 'shell')
      .flatMap((block) => block.commands.map(({ text }) => text));
    const unknown = commands.filter((text) => ![...ENDLESS.keys()].some((known) => text.startsWith(known)));
    expect([commands.length > 3, unknown]).toEqual([true, []]);
  });
});
