import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { AgentHome } from '../../../src/agent/shared/agent-home.js';
import { loadHooks } from '../../../src/agent/hooks/hook-settings.js';
import { AgentDirectories, oneHook } from '../../support/agent-directories.js';

describe('hook settings', () => {
  let at: AgentDirectories;

  beforeEach(() => (at = new AgentDirectories()));
  afterEach(() => at.remove());

  const load = (cwd = at.projects) => loadHooks({ home: at.home, cwd, root: at.base });

  describe('of the user', () => {
    it('are no hooks and no problem when there is no file', () => {
      expect(load()).toEqual({ hooks: [], problems: [], disabled: false, untrusted: null });
    });

    it('are read with their defaults, next to settings of others', () => {
      const file = at.userSettings({
        theme: { dark: true },
        hooks: {
          Stop: [{ hooks: [{ type: 'command', command: 'a' }] }],
          PostToolUse: [
            {
              matcher: 'Edit|Write',
              hooks: [
                { type: 'command', command: 'b', timeout: 0.5 },
                { type: 'command', command: 'c', timeout: 3600 },
              ],
            },
            { matcher: '*', hooks: [] },
          ],
        },
      });
      expect(load()).toEqual({
        hooks: [
          { event: 'Stop', matcher: '', command: 'a', timeoutSeconds: 60, file },
          { event: 'PostToolUse', matcher: 'Edit|Write', command: 'b', timeoutSeconds: 0.5, file },
          { event: 'PostToolUse', matcher: 'Edit|Write', command: 'c', timeoutSeconds: 600, file },
        ],
        problems: [],
        disabled: false,
        untrusted: null,
      });
    });

    it('may begin with a byte order mark', () => {
      at.userSettings(`\uFEFF${JSON.stringify(oneHook('Stop', 'a'))}`);
      expect(load()).toMatchObject({ hooks: [{ command: 'a' }], problems: [] });
    });

    it('switch all hooks off, those of projects too', () => {
      at.userSettings({ ...oneHook('Stop', 'a'), hooksDisabled: true, trustedDirectories: [at.projects] });
      at.projectSettings(at.projects, oneHook('Stop', 'b'));
      expect(load()).toEqual({ hooks: [], problems: [], disabled: true, untrusted: null });
    });
  });

  describe('that are broken', () => {
    it('are reported with line, column and reason, and left out', () => {
      const file = at.userSettings('{\n  "hooks": {\n    "Stop": [],\n  }\n}');
      expect(load()).toEqual({
        hooks: [],
        problems: [
          `${file} is not valid JSON: line 3, column 15: there is a comma too many before }. The whole file is left out.`,
        ],
        disabled: false,
        untrusted: null,
      });
    });

    const command = { type: 'command', command: 'a' };
    it.each([
      ['an unknown event', { Sotp: [] }, 3, 'hooks.Sotp is unknown; allowed are Notification, Stop, SubagentStop, '],
      ['a list of events', [], 2, 'hooks must be an object with an event name for each key'],
      ['an event without a list', { Stop: command }, 3, 'hooks.Stop must be a list of objects with hooks'],
      ['an entry that is a command', { Stop: ['a'] }, 4, 'hooks.Stop[0] must be an object with hooks and perhaps'],
      ['an entry without hooks', { Stop: [{ matcher: 'a' }] }, 4, 'hooks.Stop[0].hooks must be a list of commands'],
      [
        'another key',
        { Stop: [{ hooks: [], match: 'x' }] },
        6,
        'hooks.Stop[0].match is unknown; allowed are matcher, ',
      ],
      [
        'another type',
        { Stop: [{ hooks: [{ ...command, type: 'http' }] }] },
        7,
        'hooks.Stop[0].hooks[0].type must be "command"',
      ],
      [
        'no command',
        { Stop: [{ hooks: [{ type: 'command' }] }] },
        6,
        'hooks.Stop[0].hooks[0].command must be a string',
      ],
      [
        'an empty command',
        { Stop: [{ hooks: [{ ...command, command: ' ' }] }] },
        8,
        'command must be a shell command, not empty',
      ],
      [
        'a long command',
        { Stop: [{ hooks: [{ ...command, command: 'x'.repeat(10_001) }] }] },
        8,
        'is longer than 10000',
      ],
      [
        'a timeout of 0',
        { Stop: [{ hooks: [command, { ...command, timeout: 0 }] }] },
        13,
        'hooks.Stop[0].hooks[1].timeout must be a number of seconds above 0',
      ],
      [
        'a timeout in words',
        { Stop: [{ hooks: [{ ...command, timeout: '5s' }] }] },
        9,
        'timeout must be a number of seconds',
      ],
      [
        'a matcher that is no expression',
        { Stop: [{ matcher: '(', hooks: [] }] },
        5,
        'hooks.Stop[0].matcher is not a regular',
      ],
      [
        'a long matcher',
        { Stop: [{ matcher: 'x'.repeat(501), hooks: [] }] },
        5,
        'matcher is longer than 500 characters',
      ],
      ['a matcher that is no text', { Stop: [{ matcher: 1, hooks: [] }] }, 5, 'hooks.Stop[0].matcher must be a string'],
    ])('by %s are reported with the place and what is allowed', (_, hooks, line, reason) => {
      const file = at.userSettings({ hooks });
      const { problems } = load();
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(`${file}: line ${line}, column `);
      expect(problems[0]).toContain(reason);
      expect(problems[0]).toMatch(/The whole file is left out\.$/);
    });

    it.each([
      [{ hooksDisabled: 'yes' }, 'hooksDisabled must be true or false'],
      [{ trustedDirectories: '/src' }, 'trustedDirectories must be a list of directories'],
      [{ trustedDirectories: ['/src', './here'] }, 'trustedDirectories[1] must be the absolute path of a directory'],
      [{ trustedDirectories: ['~someone/src'] }, 'trustedDirectories[0] must be the absolute path of a directory'],
      [[], 'the document must be an object'],
    ])('elsewhere: %j', (settings, reason) => {
      at.userSettings(settings);
      expect(load().problems).toEqual([expect.stringContaining(reason)]);
    });

    it('lose all hooks of the file, however good, and none of another file', () => {
      at.userSettings({ ...oneHook('Stop', 'of the user'), trustedDirectories: [at.projects] });
      const file = at.projectSettings(at.projects, {
        hooks: { ...oneHook('Stop', 'good').hooks, ...oneHook('Notification', 'bad', { timeout: -1 }).hooks },
      });
      const { hooks, problems } = load();
      expect(hooks.map(({ command: text }) => text)).toEqual(['of the user']);
      expect(problems).toEqual([expect.stringContaining(file)]);
    });

    it('trust nobody when they are those of the user', () => {
      at.userSettings({ trustedDirectories: [at.projects], hooks: { Sotp: [] } });
      at.projectSettings(at.projects, oneHook('Stop', 'b'));
      expect(load()).toMatchObject({ hooks: [], untrusted: { directory: at.projects } });
    });

    it('are told by the first five of many problems', () => {
      at.userSettings({ hooks: { Stop: Array.from({ length: 8 }, () => 'a') } });
      const { problems } = load();
      expect(problems).toHaveLength(5);
      expect(problems[4]).toMatch(/Stop\[4\] .*\(3 more problems in this file\)$/);
    });

    it('by their size or their bytes are not parsed', () => {
      const settings = JSON.stringify(oneHook('Stop', 'a'));
      const file = at.userSettings(settings.padEnd(1024 * 1024));
      expect(load()).toMatchObject({ hooks: [{ command: 'a' }], problems: [] });
      at.userSettings(settings.padEnd(1024 * 1024 + 1));
      expect(load().problems).toEqual([`${file} is larger than 1048576 bytes. The whole file is left out.`]);
      fs.writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
      expect(load().problems).toEqual([`${file} is not UTF-8 text. The whole file is left out.`]);
      fs.writeFileSync(file, '');
      expect(load().problems).toEqual([expect.stringContaining('line 1, column 1: the file ends too early')]);
    });

    it('because they are no file are reported, and a pipe is not waited for', () => {
      fs.mkdirSync(at.home.settingsFile, { recursive: true });
      expect(load().problems).toEqual([expect.stringContaining('is not a regular file')]);
      fs.rmSync(at.home.settingsFile, { recursive: true });
      execFileSync('mkfifo', [at.home.settingsFile]);
      expect(load().problems).toEqual([expect.stringContaining('is not a regular file')]);
    });

    it('because they may not be read are reported', () => {
      const file = at.userSettings({});
      fs.rmSync(file);
      fs.symlinkSync(file, file); // root may read everything but a circle
      expect(load().problems).toEqual([
        expect.stringMatching(/settings\.json cannot be read \(.*ELOOP.*\)\. The whole/),
      ]);
    });
  });
});

describe('the directory of the agent client', () => {
  it('is in the user’s directory unless the environment names another', () => {
    expect(AgentHome.fromEnv({}, '/home/ana').settingsFile).toBe('/home/ana/.agent-platform/settings.json');
    expect(AgentHome.fromEnv({ AGENT_PLATFORM_HOME: ' ' }, '/home/ana').directory).toBe('/home/ana/.agent-platform');
    expect(AgentHome.fromEnv({ AGENT_PLATFORM_HOME: '/srv/agent' }).settingsFile).toBe('/srv/agent/settings.json');
  });
});
