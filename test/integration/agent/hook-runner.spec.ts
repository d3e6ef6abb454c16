import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookInput } from '../../../src/agent/hooks/hook-events.js';
import { HOOK_EVENTS } from '../../../src/agent/hooks/hook-events.js';
import { type HookRun, HookRunner } from '../../../src/agent/hooks/hook-runner.js';
import { sampleInput } from '../../../src/agent/hooks/hook-samples.js';
import { loadHooks } from '../../../src/agent/hooks/hook-settings.js';
import { AgentDirectories, oneHook } from '../../support/agent-directories.js';

interface Entry {
  matcher?: string;
  commands: string[];
  timeout?: number;
}

describe('running hooks', () => {
  let at: AgentDirectories;
  let runs: HookRun[];
  let warnings: string[];

  beforeEach(() => {
    at = new AgentDirectories();
    runs = [];
    warnings = [];
  });
  afterEach(() => at.remove());

  /** A runner with the hooks of the settings as they are now. */
  function runner(): HookRunner {
    const { hooks, problems } = loadHooks({ home: at.home, cwd: at.projects, root: at.base });
    expect(problems).toEqual([]);
    const warn = (message: string) => warnings.push(message);
    return new HookRunner(hooks, { env: process.env, onRun: (run) => runs.push(run), warn });
  }

  function given(event: string, ...entries: Entry[]): HookRunner {
    const list = entries.map(({ matcher, commands, timeout }) => ({
      matcher,
      hooks: commands.map((command) => ({ type: 'command', command, timeout })),
    }));
    at.userSettings({ hooks: { [event]: list } });
    return runner();
  }

  const input = (event: (typeof HOOK_EVENTS)[number], tool = 'Edit'): HookInput =>
    sampleInput(event, at.projects, tool);
  const written = (name: string) => readFileSync(join(at.projects, name), 'utf8');

  it.each(HOOK_EVENTS)('%s hooks read the event as JSON', async (event) => {
    const hooks = given(event, { commands: ['cat > input.json'] });
    expect(await hooks.run(input(event))).toEqual({ blocked: false, reason: '', context: '' });
    expect(JSON.parse(written('input.json'))).toEqual({ ...input(event), hook_event_name: event, cwd: at.projects });
    expect(runs).toEqual([{ event, matcher: '', command: 'cat > input.json' }]);
    expect(warnings).toEqual([]);
  });

  it('does nothing when no hook is for the event', async () => {
    const hooks = given('Stop', { commands: ['touch ran'] });
    expect(await hooks.run(input('SubagentStop'))).toEqual({ blocked: false, reason: '', context: '' });
    expect(existsSync(join(at.projects, 'ran'))).toBe(false);
    expect(runs).toEqual([]);
  });

  it.each([
    ['PreToolUse', 'Edit', ['all', 'edit', 'either']],
    ['PostToolUse', 'Write', ['all', 'either']],
    ['PreToolUse', 'Bash', ['all']],
  ] as const)('%s of %s runs the commands whose matcher fits', async (event, tool, expected) => {
    const hooks = given(
      event,
      { matcher: '*', commands: ['echo all > /dev/null'] },
      { matcher: 'Edit', commands: ['echo edit > /dev/null'] },
      { matcher: 'Edit|Write', commands: ['echo either > /dev/null'] },
      { matcher: 'mcp__.*', commands: ['echo mcp > /dev/null'] },
    );
    await hooks.run(input(event, tool));
    expect(runs.map(({ command }) => command.split(' ')[1])).toEqual(expected);
  });

  it.each([
    ['SessionStart', 'startup', 'resume'],
    ['PreCompact', 'manual', 'auto'],
  ] as const)('%s matchers look at how it came about', async (event, own, other) => {
    const hooks = given(event, { matcher: own, commands: ['true'] }, { matcher: other, commands: ['false'] });
    await hooks.run(input(event));
    expect(runs).toEqual([{ event, matcher: own, command: 'true' }]);
  });

  it.each(['Stop', 'SubagentStop', 'Notification', 'SessionEnd', 'UserPromptSubmit'] as const)(
    '%s has no use for matchers',
    async (event) => {
      const hooks = given(event, { matcher: 'Edit', commands: ['true'] });
      await hooks.run(input(event));
      expect(runs).toHaveLength(1);
    },
  );

  it('runs identical commands once, as the first of them is configured', async () => {
    const command = 'echo x >> ran; sleep 0.1';
    const hooks = given(
      'PostToolUse',
      { matcher: 'Write', commands: [command] },
      { matcher: 'Edit', commands: [command, command] },
      { matcher: '*', commands: [command, `${command} `], timeout: 0.01 },
    );
    await hooks.run(input('PostToolUse'));
    expect(runs).toEqual([
      { event: 'PostToolUse', matcher: 'Edit', command },
      { event: 'PostToolUse', matcher: '*', command: `${command} ` },
    ]);
    expect(warnings).toEqual([expect.stringContaining('timeout of 0.01 s')]);
    expect(written('ran').length).toBeLessThanOrEqual('x\n'.length * 2);
  });

  it('runs commands in parallel', async () => {
    // Each waits until all three have begun.
    const barrier = (name: string) =>
      `touch ${name}; until [ -e one ] && [ -e two ] && [ -e three ]; do sleep 0.01; done`;
    const hooks = given('Stop', { commands: [barrier('one'), barrier('two')] }, { commands: [barrier('three')] });
    await hooks.run(input('Stop'));
    expect([runs.length, warnings]).toEqual([3, []]); // one that waits in vain is given up with a warning
  });

  it('lets commands wait for each other', async () => {
    const meet = (own: string, other: string) => `touch ${own}; until [ -e ${other} ]; do sleep 0.05; done`;
    const hooks = given('Stop', { commands: [meet('a', 'b'), meet('b', 'a')], timeout: 15 });
    await hooks.run(input('Stop'));
    expect(warnings).toEqual([]);
  });

  it('is blocked by exit code 2 where something can be prevented, whatever the others say', async () => {
    const hooks = given('PreToolUse', {
      commands: ['true', 'echo "Not this file" >&2; exit 2', 'echo No >&2; exit 2'],
    });
    expect(await hooks.run(input('PreToolUse'))).toEqual({ blocked: true, reason: 'Not this file\nNo', context: '' });
    expect(warnings).toEqual([]);
  });

  it('is not blocked by exit code 2 where it is too late', async () => {
    const hooks = given('PostToolUse', { commands: ['echo "Not this file" >&2; exit 2'] });
    expect(await hooks.run(input('PostToolUse'))).toEqual({ blocked: false, reason: '', context: '' });
    expect(warnings).toEqual([expect.stringContaining('Not this file')]);
  });

  it('is blocked by what a hook decides in JSON', async () => {
    const answer = JSON.stringify({ decision: 'block', reason: 'Tests fail' });
    expect(await given('Stop', { commands: [`echo '${answer}'`] }).run(input('Stop'))).toMatchObject({
      blocked: true,
      reason: 'Tests fail',
    });
  });

  it.each([
    ['exits with 1', 'echo oops >&2; exit 1', 'exited with 1: oops'],
    ['is not found', 'no-such-command-anywhere', 'exited with 127: '],
    ['is not executable', './plain.txt', 'exited with 126: '],
    ['runs out of time', 'sleep 30', 'was killed after its timeout of 0.3 s'],
    ['kills itself', 'kill -9 $$', 'was ended by SIGKILL'],
  ])('goes on with a warning when a hook %s', async (_, command, text) => {
    at.write(join(at.projects, 'plain.txt'), 'text');
    const hooks = given('PreToolUse', { commands: [command], timeout: 0.3 });
    expect(await hooks.run(input('PreToolUse'))).toEqual({ blocked: false, reason: '', context: '' });
    expect(warnings).toEqual([expect.stringContaining(`The PreToolUse hook "${command}" ${text}`)]);
    expect(runs).toHaveLength(1);
  });

  it('goes on with a warning, and counts nothing, when a hook cannot be started', async () => {
    const hooks = given('Stop', { commands: ['true'] });
    expect(await hooks.run({ ...input('Stop'), cwd: join(at.base, 'gone') })).toMatchObject({ blocked: false });
    expect(warnings).toEqual([expect.stringContaining('ENOENT')]);
    expect(runs).toEqual([]);
  });

  it('joins what hooks want the agent to know, in the order of the settings and within bounds', async () => {
    const json = JSON.stringify({ hookSpecificOutput: { additionalContext: 'two' } });
    const hooks = given('UserPromptSubmit', {
      commands: ['sleep 0.2; echo one', `echo '${json}'`, 'true', 'echo three'],
    });
    expect((await hooks.run(input('UserPromptSubmit'))).context).toBe('one\ntwo\nthree');
    const flood = given('SessionStart', {
      commands: ['yes | head -c 60000', 'yes y | head -c 60000'],
      timeout: 5,
    });
    expect((await flood.run(input('SessionStart'))).context.length).toBe(64_000);
  });

  it('is fine with input of a megabyte that no hook reads', async () => {
    const hooks = given('UserPromptSubmit', { commands: ['echo ok'] });
    const large: HookInput = {
      hook_event_name: 'UserPromptSubmit',
      session_id: 's',
      cwd: at.projects,
      prompt: 'x'.repeat(1024 * 1024),
    };
    expect(await hooks.run(large)).toEqual({ blocked: false, reason: '', context: 'ok' });
    expect(warnings).toEqual([]);
  });

  it('stops without a warning when the client stops', async () => {
    const stop = new AbortController();
    const hooks = given('SessionEnd', { commands: ['sleep 30', 'sleep 31'] });
    const running = hooks.run(input('SessionEnd'), { signal: stop.signal });
    setTimeout(() => stop.abort(), 200);
    const startedAt = performance.now();
    expect(await running).toEqual({ blocked: false, reason: '', context: '' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(warnings).toEqual([]);
    expect(runs).toHaveLength(2);
  });

  it('never rejects, whatever its callbacks and its input do', async () => {
    const hooks = loadHooksOf('Stop', 'touch ran; exit 1');
    const broken = () => {
      throw new Error('broken');
    };
    const outcome = { blocked: false, reason: '', context: '' };
    const careless = new HookRunner(hooks, { env: process.env, onRun: broken, warn: broken });
    expect(await careless.run(input('Stop'))).toEqual(outcome);
    expect(existsSync(join(at.projects, 'ran'))).toBe(true);
    const unwritable = { ...input('Stop'), tool_input: 1n } as HookInput;
    expect(await runner().run(unwritable)).toEqual(outcome);
    expect(warnings).toEqual([expect.stringContaining('could not run')]);
  });

  function loadHooksOf(event: string, command: string) {
    at.userSettings(oneHook(event, command));
    return loadHooks({ home: at.home, cwd: at.projects, root: at.base }).hooks;
  }

  describe('of a project', () => {
    const trusting = () => at.userSettings({ trustedDirectories: [at.projects] });

    it('does not happen when the user does not trust it', async () => {
      at.userSettings({});
      at.projectSettings(at.projects, oneHook('Stop', 'touch ran'));
      await runner().run(input('Stop'));
      expect(existsSync(join(at.projects, 'ran'))).toBe(false);
      trusting();
      await runner().run(input('Stop'));
      expect(existsSync(join(at.projects, 'ran'))).toBe(true);
    });

    it('keeps to what the settings said when the session began', async () => {
      trusting();
      at.projectSettings(at.projects, oneHook('Stop', 'touch first'));
      const hooks = runner();
      at.projectSettings(at.projects, oneHook('Stop', 'touch second'));
      await hooks.run(input('Stop'));
      await hooks.run(input('Stop'));
      expect(existsSync(join(at.projects, 'first'))).toBe(true);
      expect(existsSync(join(at.projects, 'second'))).toBe(false);
      expect(runs.map(({ command }) => command)).toEqual(['touch first', 'touch first']);
    });
  });
});
