import fc from 'fast-check';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { decide, type PermissionQuestion } from '../../../src/agent/session/permissions.js';
import { SessionPlace } from '../../../src/agent/session/session-place.js';
import type { AgentControls, TurnSettings } from '../../../src/protocol/relay-protocol.js';
import { AgentDirectories } from '../../support/agent-directories.js';

type Call = PermissionQuestion['call'];
type Kind = Call['kind'];
type Level = NonNullable<TurnSettings['autonomyLevel']>;

const KINDS: Kind[] = ['read', 'search', 'think', 'edit', 'move', 'fetch', 'other', 'execute', 'delete', 'switch_mode'];
const LEVELS: Level[] = ['off', 'low', 'medium', 'high'];

const machine = new AgentDirectories();
const root = machine.home.directory + '/work';
const cwd = machine.directory('user', '.agent-platform', 'work', 'session');
const place = new SessionPlace({ cwd, root, home: machine.home });
afterAll(() => machine.remove());

const call = (kind: Kind, more: Partial<Call> = {}): Call => ({
  name: 'Tool',
  kind,
  command: null,
  mcpServer: null,
  paths: ['notes.txt'],
  ...more,
});
const run = (command: string): Call => call('execute', { name: 'Bash', command });
const mcp = (name: string, more: Partial<Call> = {}): Call =>
  call('other', { name, mcpServer: name.split('__')[1] ?? '', ...more });

const ask = (settings: TurnSettings, asked: Call, controls: AgentControls = {}) =>
  decide({ settings, controls, call: asked, place });
const allows = (...question: Parameters<typeof ask>) => ask(...question).allow;
const allowedKinds = (settings: TurnSettings) => KINDS.filter((kind) => allows(settings, call(kind)));

describe('the autonomy level', () => {
  it.each<[TurnSettings, Kind[]]>([
    [{}, ['read', 'search', 'think']],
    [{ autonomyLevel: 'off' }, ['read', 'search', 'think']],
    [{ autonomyLevel: 'low' }, ['read', 'search', 'think', 'edit']],
    [{ autonomyLevel: 'medium' }, ['read', 'search', 'think', 'edit', 'move', 'fetch', 'other']],
    [{ autonomyLevel: 'high' }, KINDS],
    [{ autonomyLevel: 'high', interactionMode: 'auto' }, KINDS],
    [{ autonomyLevel: 'high', interactionMode: 'spec' }, ['read', 'search', 'think']],
    [{ interactionMode: 'spec' }, ['read', 'search', 'think']],
  ])('%j allows %j', (settings, kinds) => {
    expect(allowedKinds(settings)).toEqual(kinds);
  });

  it.each(LEVELS)('%s lets a listed command run', (autonomyLevel) => {
    expect(allows({ autonomyLevel }, run('npm test'), { commandAllowlist: ['npm test'] })).toBe(true);
  });

  it.each<[Level, boolean]>([
    ['off', false],
    ['low', false],
    ['medium', false],
    ['high', true],
  ])('%s: whether a command that is not listed may run: %s', (autonomyLevel, isAllowed) => {
    expect(allows({ autonomyLevel }, run('make'), { commandAllowlist: ['npm test'] })).toBe(isAllowed);
    expect(allows({ autonomyLevel }, run('npm test; make'), { commandAllowlist: ['npm test'] })).toBe(isAllowed);
  });

  it('does not matter to a command in a tool of no particular kind: it has to be listed', () => {
    const tool = call('other', { command: 'make' });
    expect(allows({ autonomyLevel: 'medium' }, tool)).toBe(false);
    expect(allows({ autonomyLevel: 'medium' }, tool, { commandAllowlist: ['make'] })).toBe(true);
    expect(allows({ autonomyLevel: 'high' }, tool)).toBe(true);
  });

  it('lets no command run in spec mode, listed or not', () => {
    const settings: TurnSettings = { autonomyLevel: 'high', interactionMode: 'spec' };
    expect(allows(settings, run('ls'), { commandAllowlist: ['*'] })).toBe(false);
  });
});

describe('below the level high', () => {
  const outside = machine.directory('elsewhere');
  symlinkSync(outside, join(cwd, 'link'));
  symlinkSync(join(outside, 'not-there-yet'), join(cwd, 'dangling'));
  symlinkSync('loop', join(cwd, 'loop'));
  const FILES = ['read', 'search', 'edit', 'move', 'other'] as const;
  const INSIDE = ['a.txt', './a/b.txt', 'a/../b.txt', join(cwd, 'a.txt'), `file://${cwd}/a.txt`, cwd, '.'];
  const OUTSIDE = [
    '/etc/passwd',
    'file:///etc/passwd',
    '..',
    '../other-session/a.txt',
    'a/../../x',
    '~/.bashrc',
    '~root/.bashrc',
    'link/a.txt',
    'link',
    'link/../a.txt',
    'dangling',
    'loop/a.txt',
    `${cwd}-2/a.txt`,
    `${cwd}/../x`,
  ];

  it.each(INSIDE)("files inside the session's directory may be used: %s", (path) => {
    for (const kind of FILES) expect(allows({ autonomyLevel: 'medium' }, call(kind, { paths: [path] }))).toBe(true);
    expect(allows({ autonomyLevel: 'off' }, call('read', { paths: [path] }))).toBe(true);
    expect(allows({ autonomyLevel: 'low' }, call('edit', { paths: [path] }))).toBe(true);
  });

  it.each(OUTSIDE)('files outside of it may not be used: %s', (path) => {
    for (const autonomyLevel of ['off', 'low', 'medium'] as const) {
      for (const kind of FILES) {
        expect(allows({ autonomyLevel }, call(kind, { paths: [path] }))).toBe(false);
        expect(allows({ autonomyLevel }, call(kind, { paths: ['a.txt', path] }))).toBe(false);
      }
    }
  });

  it.each(OUTSIDE)('and at the level high they may: %s', (path) => {
    expect(allows({ autonomyLevel: 'high' }, call('edit', { paths: [path] }))).toBe(true);
  });

  it.each(['edit', 'move', 'delete'] as const)('%s without a file is denied', (kind) => {
    for (const autonomyLevel of ['off', 'low', 'medium'] as const) {
      expect(allows({ autonomyLevel }, call(kind, { paths: [] }))).toBe(false);
    }
    expect(allows({ autonomyLevel: 'high' }, call(kind, { paths: [] }))).toBe(true);
  });

  it('reading without a file is reading where the session is', () => {
    expect(allows({}, call('search', { paths: [] }))).toBe(true);
  });

  it('a reason names the file', () => {
    expect(ask({ autonomyLevel: 'low' }, call('edit', { paths: ['/etc/hosts'] })).reason).toContain('/etc/hosts');
  });
});

describe("the client's own files", () => {
  const { directory } = machine.home;
  const OWN = [
    directory,
    join(directory, 'settings.json'),
    join(directory, 'credentials.json'),
    join(directory, 'computers', 'x', 'outbox'),
    '../../settings.json',
    '~/.agent-platform/settings.json',
    join(directory, 'work', '..', 'settings.json'),
    join(directory, 'SETTINGS.json').replace('.agent-platform', '.Agent-Platform'),
    '.agent-platform/settings.json',
    '../.agent-platform/settings.json',
    'hooks/settings.json',
  ];
  symlinkSync(directory, join(cwd, 'hooks'));

  it.each(OWN)('are out of bounds at every level: %s', (path) => {
    for (const autonomyLevel of LEVELS) {
      for (const kind of KINDS) expect(allows({ autonomyLevel }, call(kind, { paths: [path] }))).toBe(false);
      expect(allows({ autonomyLevel }, mcp('mcp__files__write', { paths: [path] }))).toBe(false);
    }
  });

  it.each([
    'cat ~/.agent-platform/credentials.json',
    'cat "$HOME/.agent-platform/credentials.json"',
    'cd ~ && cat .agent-platform/credentials.json',
    'cat $AGENT_PLATFORM_HOME/settings.json',
    'cat ../../settings.json',
    `tee ${directory}/settings.json`,
    `cp x --target=${directory}`,
  ])('are not named by a command, on the allowlist or not: %s', (command) => {
    for (const autonomyLevel of LEVELS) {
      expect(allows({ autonomyLevel }, run(command), { commandAllowlist: ['*'] })).toBe(false);
    }
  });

  it.each([`cat ${cwd}/a.txt`, `cd ${cwd} && npm test`, 'cat ./a.txt', 'ls ..', `ls ${directory}/work`])(
    'are not the sessions that are below them: %s',
    (command) => expect(allows({ autonomyLevel: 'high' }, run(command))).toBe(true),
  );
});

describe('with a denylist', () => {
  const controls = { commandDenylist: ['rm -rf', 'curl', 'sudo'] };

  it.each([
    'rm${IFS}-rf${IFS}/',
    "$'\\x72m' -rf /",
    'a=rm; $a -rf /',
    'cu${x}rl',
    'c$@url',
    '/usr/bin/cur?',
    '/usr/bin/c*l x',
    '$SHELL -c x',
    '{cu,}rl x',
    'echo $(cat x)',
    'ls > x',
    'ls `x`',
  ])('a command that is not plain is denied: %s', (command) => {
    expect(allows({ autonomyLevel: 'high' }, run(command), controls)).toBe(false);
    expect(allows({ autonomyLevel: 'high' }, run(command), { commandDenylist: ['', ' '] })).toBe(true);
    expect(allows({ autonomyLevel: 'high' }, run(command))).toBe(true);
  });

  it.each(['npm test', 'git status && ls -la "a b"', 'echo $HOME | wc -l', 'ls *.ts'])(
    'a plain command that is not on it may run: %s',
    (command) => expect(allows({ autonomyLevel: 'high' }, run(command), controls)).toBe(true),
  );
});

describe('the denylist', () => {
  const controls = { commandDenylist: ['rm', 'git push'], commandAllowlist: ['*'] };

  it.each(LEVELS)('comes before everything at the level %s', (autonomyLevel) => {
    expect(allows({ autonomyLevel }, run('ls && git -C . push'), controls)).toBe(false);
    expect(allows({ autonomyLevel }, run('ls'), controls)).toBe(true);
  });

  it('holds for commands of tools of any kind', () => {
    expect(allows({ autonomyLevel: 'high' }, call('read', { command: 'rm x' }), controls)).toBe(false);
    expect(allows({ autonomyLevel: 'high' }, mcp('mcp__shell__run', { command: 'rm x' }), controls)).toBe(false);
  });

  it('denies a command that is not told, for it might be on it', () => {
    expect(allows({ autonomyLevel: 'high' }, call('execute'), controls)).toBe(false);
    expect(allows({ autonomyLevel: 'high' }, call('execute'), { commandDenylist: [' '] })).toBe(true);
    expect(allows({ autonomyLevel: 'high' }, call('execute'))).toBe(true);
    expect(allows({ autonomyLevel: 'low' }, call('execute'), { commandAllowlist: ['*'] })).toBe(false);
  });
});

describe('the lists of tools', () => {
  it.each<[TurnSettings, boolean]>([
    [{ disabledToolIds: ['Bash'] }, false],
    [{ disabledToolIds: ['bash'] }, false],
    [{ disabledToolIds: ['Execute'] }, false],
    [{ disabledToolIds: ['Edit'] }, true],
    [{ enabledToolIds: ['Bash'] }, true],
    [{ enabledToolIds: ['BASH', 'Edit'] }, true],
    [{ enabledToolIds: ['Edit'] }, false],
    [{ enabledToolIds: ['Execute'] }, false],
    [{ enabledToolIds: [] }, false],
    [{ enabledToolIds: ['Bash'], disabledToolIds: ['Bash'] }, false],
  ])('%j: whether Bash may be used: %s', (settings, isAllowed) => {
    expect(allows({ autonomyLevel: 'high', ...settings }, run('ls'))).toBe(isAllowed);
  });

  it('do not allow by themselves', () => {
    expect(allows({ autonomyLevel: 'off', enabledToolIds: ['Bash'] }, run('ls'))).toBe(false);
  });
});

describe('tools of MCP servers', () => {
  const levelNeeded = (asked: Call, mcpAutonomyOverrides?: Record<string, unknown>) =>
    LEVELS.find((autonomyLevel) => allows({ autonomyLevel }, asked, { mcpAutonomyOverrides }));

  it.each<[string, Record<string, unknown> | undefined, Level]>([
    ['mcp__github__merge', undefined, 'medium'],
    ['mcp__github__merge', {}, 'medium'],
    ['mcp__github__merge', { other: { defaultLevel: 'off' } }, 'medium'],
    ['mcp__github__merge', { github: {} }, 'medium'],
    ['mcp__github__merge', { github: { defaultLevel: 'off' } }, 'off'],
    ['mcp__github__merge', { GitHub: { defaultLevel: 'low' } }, 'low'],
    ['mcp__GITHUB__merge', { github: { defaultLevel: 'low' } }, 'low'],
    ['mcp__github__merge', { github: { defaultLevel: 'off', tools: { merge: 'high' } } }, 'high'],
    ['mcp__github__read', { github: { defaultLevel: 'off', tools: { merge: 'high' } } }, 'off'],
    ['mcp__github__read', { github: { tools: { read: 'off' } } }, 'off'],
    ['mcp__github__read', { github: { tools: { mcp__github__read: 'low' } } }, 'low'],
    ['mcp__a__b__read', { a: { defaultLevel: 'off' }, a__b: { defaultLevel: 'high' } }, 'high'],
    ['mcp__a__b__read', { a: { defaultLevel: 'high' }, a__b: { tools: { read: 'off' } } }, 'off'],
    ['mcp__github__merge', { github: { defaultLevel: 'sometimes' } }, 'high'],
    ['mcp__github__merge', { github: 'off' }, 'high'],
    ['mcp__github__merge', { github: { tools: ['merge'] } }, 'high'],
    ['mcp__github__toString', { github: { tools: {} } }, 'medium'],
  ])('%s with %j needs the level %s', (name, overrides, level) => {
    expect(levelNeeded(mcp(name), overrides)).toBe(level);
  });

  it('are judged by the level they need, whatever their kind', () => {
    expect(levelNeeded(mcp('mcp__github__read', { kind: 'read' }))).toBe('medium');
    expect(levelNeeded(mcp('mcp__github__delete', { kind: 'delete' }), { github: { defaultLevel: 'low' } })).toBe(
      'low',
    );
  });

  it('only read in spec mode', () => {
    const settings: TurnSettings = { autonomyLevel: 'high', interactionMode: 'spec' };
    expect(allows(settings, mcp('mcp__github__merge'))).toBe(false);
    expect(allows(settings, mcp('mcp__github__read', { kind: 'read' }))).toBe(true);
  });
});

describe('a decision', () => {
  it.each<[string, TurnSettings, Call, AgentControls]>([
    ['The command is on the organization\'s denylist ("rm").', {}, run('rm x'), { commandDenylist: ['rm'] }],
    ['The session\'s disabledToolIds has "bash".', { disabledToolIds: ['bash'] }, run('x'), {}],
    ['The session\'s enabledToolIds does not have "Bash".', { enabledToolIds: ['Read'] }, run('x'), {}],
    [
      'In the interaction mode spec only tools that read, search or think may be used, not edit.',
      { interactionMode: 'spec' },
      call('edit'),
      {},
    ],
    ['The autonomy level off does not allow edit.', {}, call('edit'), {}],
    ['The autonomy level low allows edit.', { autonomyLevel: 'low' }, call('edit'), {}],
    ["At the autonomy level off only commands on the organization's allowlist may run.", {}, run('x'), {}],
    ["The command is on the organization's allowlist.", {}, run('x'), { commandAllowlist: ['x'] }],
    [
      'The autonomy level off does not allow mcp__a__b of the MCP server a, which needs medium.',
      {},
      mcp('mcp__a__b'),
      {},
    ],
  ])('says why: %s', (reason, settings, asked, controls) => {
    expect(ask(settings, asked, controls).reason).toBe(reason);
  });

  it('is never more generous at a lower level', () => {
    const settings = fc.record({
      interactionMode: fc.constantFrom('auto', 'spec'),
      name: fc.constantFrom('Bash', 'X'),
    });
    const anyCall = fc.record({
      kind: fc.constantFrom(...KINDS),
      command: fc.constantFrom(null, 'ls', 'rm x', 'ls; make'),
      mcpServer: fc.constantFrom(null, 'github'),
      paths: fc.constantFrom([], ['notes.txt'], ['/etc/passwd'], ['../../settings.json']),
    });
    fc.assert(
      fc.property(
        settings,
        anyCall,
        fc.subarray(['ls', 'make']),
        ({ interactionMode, name }, asked, commandAllowlist) => {
          const answers = LEVELS.map((autonomyLevel) =>
            allows(
              { autonomyLevel, interactionMode },
              { name, ...asked },
              { commandAllowlist, commandDenylist: ['rm'] },
            ),
          );
          expect(answers).toEqual([...answers].sort((a, b) => Number(a) - Number(b)));
          if (asked.command === 'rm x') expect(answers).not.toContain(true);
        },
      ),
    );
  });
});
