import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const PROJECT: Record<string, string> = {
  'package.json': '{ "type": "module" }',
  'set-up.mjs': `
    import { compile } from ${JSON.stringify(resolve('test/runner/compile.mjs'))};
    export default ({ rootDir }) => compile(rootDir);`,
  'src/loaded.ts': `
    export const loads = { count: 0 };
    (globalThis as { timesLoaded?: number }).timesLoaded = ((globalThis as { timesLoaded?: number }).timesLoaded ?? 0) + 1;`,
  'test/first.spec.ts': `
    import '../src/loaded.js';
    beforeEach(() => { (globalThis as { hooks?: number }).hooks = 1; });
    it('loads a module', () => expect((globalThis as { timesLoaded?: number }).timesLoaded).toBe(1));`,
  'test/second.spec.ts': `
    import '../src/loaded.js';
    (globalThis as { hooks?: number }).hooks = 0;
    it('finds it loaded', () => expect((globalThis as { timesLoaded?: number }).timesLoaded).toBe(1));
    it('has no hooks of another file', () => expect((globalThis as { hooks?: number }).hooks).toBe(0));`,
  'test/wrong.spec.ts': `
    interface Unused { text: string }
    it('fails where the source says', () => {
      expect(1 as number).toBe(2);
    });`,
  'test/stray.spec.ts': `
    it('fails for a promise that nobody waits for', async () => {
      void Promise.reject(new Error('stray'));
      await new Promise((done) => setTimeout(done, 5));
    });`,
  'test/slow.spec.ts': `it('fails when its time is over', () => new Promise(() => undefined), 50);`,
  'test/server.spec.ts': `
    import { createServer } from 'node:http';
    it('passes but leaves a server', async () => {
      await new Promise<void>((done) => createServer().listen(0, '127.0.0.1', done));
    });`,
  'test/timer.spec.ts': `it('passes but leaves a timer', () => { setInterval(() => undefined, 1000); });`,
  'test/tidy.spec.ts': `
    import { createServer } from 'node:http';
    it('may close a server when it ends', async () => {
      const server = createServer();
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      setTimeout(() => server.close(), 50);
    });`,
};

interface Report {
  numPassedTests: number;
  testResults: { name: string; status: string; message: string }[];
}

describe('the test runner', () => {
  let project: string;
  let report: Report;

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'test-runner-'));
    for (const [name, content] of Object.entries(PROJECT)) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), content);
    }
    report = run();
  });
  afterAll(() => rmSync(project, { recursive: true }));

  function run(...args: string[]): Report {
    const config = {
      rootDir: project,
      testMatch: ['<rootDir>/test/*.spec.ts'],
      testRunner: resolve('test/runner/shared-runner.mjs'),
      testEnvironment: resolve('test/runner/environment.mjs'),
      transform: {},
      globalSetup: '<rootDir>/set-up.mjs',
      maxWorkers: 1,
      forceExit: true, // some files leave something behind
    };
    const output = join(project, 'report.json');
    const own = ['--config', JSON.stringify(config), '--json', '--outputFile', output];
    spawnSync(process.execPath, [resolve('node_modules/jest/bin/jest.js'), ...own, ...args], {
      env: { ...process.env, FORCE_COLOR: '0' },
      stdio: 'ignore',
      timeout: 60_000,
    });
    return JSON.parse(readFileSync(output, 'utf8')) as Report;
  }

  const outcome = (file: string, of = report) => {
    const { status = 'missing', message = '' } = of.testResults.find(({ name }) => name.endsWith(`/${file}`)) ?? {};
    return { status, message };
  };

  it('loads a module once for all files of a worker', () => {
    expect(outcome('first.spec.ts').status).toBe('passed');
    expect(outcome('second.spec.ts').status).toBe('passed');
  });

  it.each([
    ['wrong.spec.ts', /Expected: 2\s+Received: 1[^]*expect\(1 as number\)[^]*test\/wrong\.spec\.ts:4:27/],
    ['stray.spec.ts', /stray[^]*test\/stray\.spec\.ts:3:/],
    ['slow.spec.ts', /Exceeded timeout of 50 ms/],
  ])('tells what went wrong in %s, and where', (file, message) => {
    expect(outcome(file)).toEqual({ status: 'failed', message: expect.stringMatching(message) as string });
  });

  it.each([
    ['server.spec.ts', '1 TCPServerWrap'],
    ['timer.spec.ts', '1 Timeout'],
  ])('fails %s, whose tests pass, for what it leaves behind', (file, leftover) => {
    const message = `This file left something behind when it ended: ${leftover}.`;
    expect(outcome(file)).toEqual({ status: 'failed', message: expect.stringContaining(message) as string });
  });

  it('waits for what is being closed', () => {
    expect(outcome('tidy.spec.ts').status).toBe('passed');
  });

  it('runs only the tests that are asked for', () => {
    expect(run('-t', 'finds it loaded', 'second')).toMatchObject({ numPassedTests: 1, testResults: [{}] });
  });

  it('compiles what has changed', () => {
    writeFileSync(join(project, 'test/wrong.spec.ts'), `it('is right now', () => expect(2).toBe(2));`);
    expect(outcome('wrong.spec.ts', run('wrong')).status).toBe('passed');
  });
});
