import { listHooks } from '../../../src/agent/hooks/hook-commands.js';
import { AgentDirectories, oneHook } from '../../support/agent-directories.js';

describe('the list of hooks', () => {
  let at: AgentDirectories;

  beforeEach(() => (at = new AgentDirectories()));
  afterEach(() => at.remove());

  const list = () => listHooks({ home: at.home, cwd: at.projects, root: at.base });

  it('says that there are none', () => {
    expect(list()).toBe('No hooks are configured.');
  });

  it('shows what would run, when, for how long, and which file says so', () => {
    at.userSettings({ ...oneHook('Stop', 'notify-send "done"\n  exit 0'), trustedDirectories: [at.projects] });
    const file = at.projectSettings(
      at.projects,
      oneHook('PostToolUse', 'npx prettier', { matcher: 'Edit', timeout: 5 }),
    );
    const width = Math.max(file.length, at.home.settingsFile.length);
    expect(list().split('\n')).toEqual([
      `EVENT        MATCHER  TIMEOUT  ${'FILE'.padEnd(width)}  COMMAND`,
      `Stop         *        60 s     ${at.home.settingsFile.padEnd(width)}  notify-send "done" ⏎ exit 0`,
      `PostToolUse  Edit     5 s      ${file.padEnd(width)}  npx prettier`,
    ]);
  });

  it('lets no command write terminal codes', () => {
    at.userSettings(oneHook('PreToolUse', 'rm -rf ~ # \u001b[2K\rharmless', { matcher: 'a\nb' }));
    expect(list()).not.toMatch(/[\u001b\r]/); // eslint-disable-line no-control-regex -- that is what it is about
    expect(list().split('\n')).toHaveLength(2);
  });

  it('tells how to trust a project', () => {
    at.userSettings({});
    const file = at.projectSettings(at.projects, oneHook('Stop', 'x'));
    expect(list()).toBe(
      `No hooks are configured.\n${file} is not used, as this directory is not trusted. If the hooks of this project ` +
        `may run on this machine, add "${at.projects}" to trustedDirectories in ${at.home.settingsFile}.`,
    );
  });

  it('shows problems, and that hooks are switched off', () => {
    at.userSettings('{\n');
    expect(list()).toMatch(/^No hooks are configured\.\nProblem: .*settings\.json is not valid JSON: line 2/);
    at.userSettings({ ...oneHook('Stop', 'x'), hooksDisabled: true });
    expect(list()).toBe(`Hooks are switched off: hooksDisabled is true in ${at.home.settingsFile}.`);
  });
});
