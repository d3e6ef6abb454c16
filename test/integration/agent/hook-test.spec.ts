import { testHook } from '../../../src/agent/hooks/hook-commands.js';
import { AgentDirectories, oneHook } from '../../support/agent-directories.js';

describe('trying hooks out', () => {
  let at: AgentDirectories;

  beforeEach(() => (at = new AgentDirectories()));
  afterEach(() => at.remove());

  const tryOut = (event: string, tool?: string) =>
    testHook(event, { home: at.home, cwd: at.projects, root: at.base, env: process.env, tool });

  it('shows how each command ended and what it wrote', async () => {
    at.userSettings({
      hooks: {
        PreToolUse: [
          {
            matcher: 'Edit',
            hooks: [
              { type: 'command', command: 'grep -o "\\"tool_name\\":\\"[A-Za-z]*\\""; printf "\\033[31mred"' },
              { type: 'command', command: 'echo no >&2; exit 2' },
            ],
          },
        ],
      },
    });
    const { text, exitCode } = await tryOut('PreToolUse');
    expect(text.replace(/\d+ ms/g, 'N ms').split('\n')).toEqual([
      `grep -o "\\"tool_name\\":\\"[A-Za-z]*\\""; printf "\\033[31mred"  (${at.home.settingsFile})`,
      '  exit code 0, N ms',
      '  stdout:',
      '    "tool_name":"Edit"',
      '    red',
      `echo no >&2; exit 2  (${at.home.settingsFile})`,
      '  exit code 2, N ms',
      '  stderr:',
      '    no',
      '  blocks: no',
    ]);
    expect(exitCode).toBe(0);
  });

  it.each([
    ['exit 1', '  exit code 1, '],
    ['sleep 20', '  killed after its timeout of 0.2 s, '],
    ['kill -9 $$', '  ended by SIGKILL, '],
  ])('fails when a hook does: %s', async (command, line) => {
    at.userSettings(oneHook('Stop', command, { timeout: 0.2 }));
    const { text, exitCode } = await tryOut('Stop');
    expect(text).toContain(`\n${line}`);
    expect(text).toContain('\n  warning: The Stop hook');
    expect(exitCode).toBe(1);
  });

  it('says that nothing is configured, or nothing for this tool', async () => {
    expect(await tryOut('Stop')).toEqual({ text: 'No hook is configured for Stop.', exitCode: 0 });
    at.userSettings(oneHook('PostToolUse', 'true', { matcher: 'Bash' }));
    expect(await tryOut('PostToolUse')).toEqual({
      text: 'No matcher of the 1 PostToolUse hooks fits "Edit".',
      exitCode: 0,
    });
    expect((await tryOut('PostToolUse', 'Bash')).text).toContain('exit code 0');
  });

  it('says which events there are', async () => {
    const { text, exitCode } = await tryOut('stop');
    expect(text).toMatch(/^There is no hook event "stop"; there are Notification, Stop, /);
    expect(exitCode).toBe(1);
  });

  it('runs nothing of a file that is broken, not trusted or switched off, and says so', async () => {
    at.userSettings('{');
    expect(await tryOut('Stop')).toMatchObject({ text: expect.stringContaining('Problem: '), exitCode: 1 });
    at.userSettings({});
    at.projectSettings(at.projects, oneHook('Stop', 'true'));
    expect(await tryOut('Stop')).toMatchObject({
      text: expect.stringMatching(/^No hook is configured for Stop\.\n.* to trustedDirectories in /),
      exitCode: 0,
    });
    at.userSettings({ ...oneHook('Stop', 'exit 1'), hooksDisabled: true });
    expect(await tryOut('Stop')).toMatchObject({ text: expect.stringMatching(/^Hooks are switched off/), exitCode: 0 });
  });
});
