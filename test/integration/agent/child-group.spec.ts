import { ChildGroup } from '../../../src/agent/acp/child-group.js';
import { isRunning } from '../../support/agent-session.js';
import { eventually } from '../../support/eventually.js';

const start = (code: string, graceMs = 300) =>
  ChildGroup.start({ command: process.execPath, args: ['-e', code], cwd: '/', graceMs });

describe('a child process in a group of its own', () => {
  it('tells how it ended', async () => {
    const child = await start('process.exit(7)');
    expect(await child.exited).toEqual({ code: 7, signal: null });
    await child.end();
  });

  it('ends when it is asked to, at once', async () => {
    const child = await start('setInterval(() => {}, 1000)', 5_000);
    const begin = performance.now();
    await child.end();
    expect(performance.now() - begin).toBeLessThan(4_000);
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(isRunning(child.pid)).toBe(false);
  });

  it('is killed when it does not', async () => {
    const child = await start('process.on("SIGTERM", () => {}); console.error("up"); setInterval(() => {}, 1000)');
    await eventually('it is up', () => child.stderrTail === 'up');
    await child.end();
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('may be ended twice, and after it has ended', async () => {
    const child = await start('');
    await child.exited;
    await Promise.all([child.end(), child.end()]);
    await child.end();
  });

  it('takes with it what it has started, also when it has ended before', async () => {
    const code = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      console.error(child.pid); setTimeout(() => process.exit(0), 100);`;
    const child = await start(code);
    await child.exited;
    const pid = await eventually('it tells its child', () => Number(child.stderrTail));
    expect(isRunning(pid)).toBe(true);
    await child.end();
    expect(isRunning(pid)).toBe(false);
  });

  it('keeps the end of what it complains about, and no more', async () => {
    const child = await start('process.stderr.write("x".repeat(1_000_000) + "the end")');
    await child.exited;
    await eventually('all was read', () => child.stderrTail.endsWith('the end'));
    expect(child.stderrTail.length).toBeLessThanOrEqual(8_192);
    await child.end();
  });

  it('has an environment and arguments, and can be talked to', async () => {
    const code = 'process.stdin.on("data", (d) => process.stdout.write(d + process.env.A + process.argv[1]))';
    const options = { command: process.execPath, args: ['-e', code, 'c'], cwd: '/', env: { A: 'b' } };
    const child = await ChildGroup.start(options);
    const answer = new Promise((resolve) => child.stdout.once('data', (data: Buffer) => resolve(data.toString())));
    child.stdin.write('a');
    expect(await answer).toBe('abc');
    await child.end();
  });

  it('may stop listening', async () => {
    const child = await start('require("node:fs").closeSync(0); console.error("deaf"); setInterval(() => {}, 1000)');
    await eventually('it is deaf', () => child.stderrTail === 'deaf');
    const written = new Promise((resolve) => child.stdin.write('x'.repeat(1_000_000), resolve));
    expect(await written).toMatchObject({ code: 'EPIPE' });
    await child.end();
  });

  it('does not mind being talked to after its end', async () => {
    const child = await start('');
    await child.exited;
    child.stdin.write('x'.repeat(1_000_000));
    await child.end();
    child.stdin.write('y');
  });
});
