import { execFile, execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Stands in for the Nest CLI: counts its runs and can be told to fail or to be slow. */
const FAKE_NEST = `
  const fs = require('node:fs');
  fs.appendFileSync('builds.txt', process.argv[2] + '\\n');
  const until = Date.now() + Number(process.env.BUILD_MS ?? 0);
  fs.mkdirSync('dist', { recursive: true });
  fs.writeFileSync('dist/main.js', '');
  while (Date.now() < until);
  if (process.env.BUILD_FAILS) { console.error('error TS2322'); process.exit(1); }
`;

/** Stands in for Vite. */
const FAKE_VITE = `
  const fs = require('node:fs');
  fs.mkdirSync('dist/console', { recursive: true });
  fs.writeFileSync('dist/console/index.html', '');
`;

/** Stands in for npm: fills node_modules as the lock file says. */
const FAKE_NPM = `
  const fs = require('node:fs');
  fs.appendFileSync('installs.txt', process.argv[2] + '\\n');
  if (process.env.INSTALL_FAILS) { console.error('npm error code ECONNREFUSED'); process.exit(1); }
  fs.cpSync('packages', 'node_modules', { recursive: true });
`;

describe('getting ready before a command', () => {
  const projects: string[] = [];

  afterAll(() => projects.forEach((project) => fs.rmSync(project, { recursive: true, force: true })));

  /** A miniature of this repository, with its dependencies installed and nothing built. */
  function givenProject({ installed = true } = {}): string {
    const project = fs.mkdtempSync(join(tmpdir(), 'ensure-ready-'));
    projects.push(project);
    const cli = { version: '1.0.0', integrity: 'sha512-x' };
    write(project, 'package.json', JSON.stringify({ name: 'mini', devDependencies: { '@nestjs/cli': '1.0.0' } }));
    write(project, 'package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/@nestjs/cli': cli } }));
    write(project, 'src/main.ts', 'export {};');
    write(project, 'npm-cli.js', FAKE_NPM);
    const modules = installed ? 'node_modules' : 'packages';
    write(project, `${modules}/.package-lock.json`, JSON.stringify({ packages: { 'node_modules/@nestjs/cli': cli } }));
    write(project, `${modules}/@nestjs/cli/package.json`, '{}');
    write(project, `${modules}/@nestjs/cli/bin/nest.js`, FAKE_NEST);
    write(project, `${modules}/vite/bin/vite.js`, FAKE_VITE);
    fs.mkdirSync(join(project, '.dev'));
    for (const script of ['ensure-ready.mjs', 'build.mjs']) {
      fs.copyFileSync(join('.dev', script), join(project, '.dev', script));
    }
    return project;
  }

  function ensureReady(project: string, env: Record<string, string> = {}, ...args: string[]) {
    const npm = join(project, 'npm-cli.js');
    return run(process.execPath, ['.dev/ensure-ready.mjs', ...args], {
      cwd: project,
      env: { PATH: '/usr/bin:/bin', npm_execpath: npm, ...env },
    });
  }

  it('builds when nothing is built, and says so on the error output only', async () => {
    const project = givenProject();

    const { stdout, stderr } = await ensureReady(project);

    expect(runs(project, 'builds')).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Building \.\.\.\nBuilt in \d+\.\d s\.\n$/);
  });

  it('does nothing when all is fresh', async () => {
    const project = givenProject();
    await ensureReady(project);

    expect(await ensureReady(project)).toEqual({ stdout: '', stderr: '' });
    expect(runs(project, 'builds')).toBe(1);
    expect(runs(project, 'installs')).toBe(0);
  });

  it.each([
    ['a source changes', 'src/main.ts', 'export const changed = 1;'],
    ['a source is added', 'src/deep/er.ts', 'export {};'],
    ['a compiler setting changes', 'tsconfig.build.json', '{}'],
  ])('builds again when %s', async (_, file, content) => {
    const project = givenProject();
    await ensureReady(project);
    write(project, file, content);

    await ensureReady(project);

    expect(runs(project, 'builds')).toBe(2);
  });

  it('builds again after a build that failed', async () => {
    const project = givenProject();
    const failure = ensureReady(project, { BUILD_FAILS: 'yes' });
    await expect(failure).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('error TS2322') });

    await ensureReady(project);

    expect(runs(project, 'builds')).toBe(2);
  });

  it('takes over from a build that was killed', async () => {
    const project = givenProject();
    const building = ensureReady(project, { BUILD_MS: '1000' });
    const ended = building.catch(() => undefined);
    while (!fs.existsSync(join(project, 'dist/main.js'))) await new Promise((resolve) => setTimeout(resolve, 20));
    building.child.kill('SIGKILL');
    await ended;

    await ensureReady(project);

    expect(runs(project, 'builds')).toBe(2);
    expect(fs.readdirSync(join(project, '.dev')).sort()).toEqual(['build.mjs', 'ensure-ready.mjs']);
  });

  it('builds once when two commands start together', async () => {
    const project = givenProject();

    await Promise.all([ensureReady(project, { BUILD_MS: '500' }), ensureReady(project, { BUILD_MS: '500' })]);

    expect(runs(project, 'builds')).toBe(1);
  });

  it('does nothing where there are no sources, as in a production image', async () => {
    const project = givenProject({ installed: false });
    fs.rmSync(join(project, 'src'), { recursive: true });

    expect(await ensureReady(project)).toEqual({ stdout: '', stderr: '' });
    expect(runs(project, 'installs') + runs(project, 'builds')).toBe(0);
  });

  it('installs what the lock file names before it builds', async () => {
    const project = givenProject({ installed: false });

    const { stderr } = await ensureReady(project);

    expect(stderr).toContain('Installing dependencies (once) ...');
    expect([runs(project, 'installs'), runs(project, 'builds')]).toEqual([1, 1]);
    await ensureReady(project);
    expect(runs(project, 'installs')).toBe(1);
  });

  it('only installs for a command that needs no build', async () => {
    const project = givenProject({ installed: false });

    await ensureReady(project, {}, 'packages');

    expect([runs(project, 'installs'), runs(project, 'builds')]).toEqual([1, 0]);
  });

  it('installs again when the lock file changes', async () => {
    const project = givenProject();
    await ensureReady(project);
    fs.renameSync(join(project, 'node_modules'), join(project, 'packages'));
    fs.cpSync(join(project, 'packages'), join(project, 'node_modules'), { recursive: true });
    const newer = { version: '1.0.1', integrity: 'sha512-y' };
    write(project, 'package-lock.json', JSON.stringify({ packages: { 'node_modules/@nestjs/cli': newer } }));

    await ensureReady(project);

    expect(runs(project, 'installs')).toBe(1);
  });

  it('installs again when packages are missing after an interrupted install', async () => {
    const project = givenProject();
    fs.renameSync(join(project, 'node_modules'), join(project, 'packages'));
    write(
      project,
      'node_modules/.package-lock.json',
      fs.readFileSync(join(project, 'packages/.package-lock.json'), 'utf8'),
    );

    await ensureReady(project);

    expect(runs(project, 'installs')).toBe(1);
  });

  it('fails with what npm said when the install fails', async () => {
    const project = givenProject({ installed: false });
    const stderr: unknown = expect.stringContaining('npm error code ECONNREFUSED');

    await expect(ensureReady(project, { INSTALL_FAILS: 'yes' })).rejects.toMatchObject({ code: 1, stderr });
    expect(runs(project, 'builds')).toBe(0);
  });

  it('refuses a Node that is too old', () => {
    const project = givenProject();
    const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.18.3' });`;
    const attempt = () =>
      execFileSync(process.execPath, ['--import', old, '.dev/ensure-ready.mjs'], { cwd: project, stdio: 'pipe' });

    expect(attempt).toThrow('Node 20.19.0 or later is needed; this is Node 20.18.3');
  });
});

function write(project: string, file: string, content: string): void {
  fs.mkdirSync(join(project, file, '..'), { recursive: true });
  fs.writeFileSync(join(project, file), content);
}

function runs(project: string, of: 'builds' | 'installs'): number {
  const file = join(project, `${of}.txt`);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').length : 0;
}
