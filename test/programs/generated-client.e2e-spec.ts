import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { TestApp } from '../support/test-app.js';

/** What users of the API do: generate types from the document, write a program against them, compile it, run it. */
describe('a client that is generated from the API document', () => {
  let app: TestApp;
  let directory: string;

  beforeAll(async () => {
    app = await TestApp.start();
    directory = mkdtempSync(join(tmpdir(), 'agent-platform-client-'));
    cpSync('test/client', directory, { recursive: true });
    symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  });
  afterAll(async () => {
    await app.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('compiles against the types', () => {
    expect(run('openapi-typescript/bin/cli.js', resolve('openapi.json'), '-o', 'api.d.ts')).toMatchObject({
      status: 0,
    });
    expect(run('typescript/bin/tsc', '-p', '.')).toEqual({ status: 0, output: '' });
  });

  it('goes from the first key to the deleted session', async () => {
    const org = await app.given.organization();
    const story = await promisify(execFile)(process.execPath, ['out/story.js', app.url, org.owner.key], {
      cwd: directory,
    });
    expect(story.stdout).toBe('the story ended well\n');
  });

  function run(program: string, ...args: string[]): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [resolve('node_modules', program), ...args], {
      cwd: directory,
      encoding: 'utf8',
    });
    return { status, output: program.startsWith('openapi') ? '' : stdout + stderr };
  }
});
