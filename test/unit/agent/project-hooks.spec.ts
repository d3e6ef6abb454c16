import * as fs from 'node:fs';
import { join } from 'node:path';
import { loadHooks } from '../../../src/agent/hooks/hook-settings.js';
import { AgentDirectories, oneHook } from '../../support/agent-directories.js';

describe('hook settings of a project', () => {
  let at: AgentDirectories;

  beforeEach(() => (at = new AgentDirectories()));
  afterEach(() => at.remove());

  const load = (cwd = at.projects) => loadHooks({ home: at.home, cwd, root: at.base });
  const commands = (cwd?: string) => load(cwd).hooks.map(({ command }) => command);

  it('are used after those of the user when its directory is trusted', () => {
    at.userSettings({ ...oneHook('Stop', 'user'), trustedDirectories: [at.projects] });
    const project = at.directory('projects', 'shop');
    const file = at.projectSettings(project, oneHook('Stop', 'shop'));
    expect(load(project)).toMatchObject({
      hooks: [{ command: 'user' }, { command: 'shop', file }],
      problems: [],
      untrusted: null,
    });
  });

  it('are not used, not even read, when nobody trusts its directory', () => {
    at.userSettings(oneHook('Stop', 'user'));
    const file = at.projectSettings(at.projects, '{ not even JSON');
    expect(load()).toMatchObject({
      hooks: [{ command: 'user' }],
      problems: [],
      untrusted: { file, directory: at.projects },
    });
  });

  it('cannot trust themselves', () => {
    at.userSettings({});
    at.projectSettings(at.projects, { ...oneHook('Stop', 'x'), trustedDirectories: ['/'] });
    expect(commands()).toEqual([]);
  });

  it('cannot switch the hooks of the user off', () => {
    at.userSettings({ ...oneHook('Stop', 'user'), trustedDirectories: [at.projects] });
    at.projectSettings(at.projects, { hooksDisabled: true });
    expect(commands()).toEqual(['user']);
  });

  it.each([
    ['the directory itself', ['projects/shop'], true],
    ['one above it', ['projects'], true],
    ['the file system', ['/'], true],
    ['one that only begins alike', ['projects/sh'], false],
    ['one below it', ['projects/shop/src'], false],
    ['the one of the file alone', ['projects/shop/.agent-platform'], false],
    ['one with dots that lead to it', ['projects/other/../shop'], true],
    ['one with dots that lead away', ['projects/shop/..x'], false],
    ['one that does not exist', ['projects/gone'], false],
    ['none', [], false],
  ])('are judged by trusted directories: %s', (_, trusted, isUsed) => {
    const project = at.directory('projects', 'shop');
    for (const name of ['sh', 'other', 'shop/src', 'shop/..x']) at.directory('projects', name);
    const trustedDirectories = trusted.map((path) => (path === '/' ? path : `${at.base}/${path}`));
    at.userSettings({ trustedDirectories });
    at.projectSettings(project, oneHook('Stop', 'shop'));
    expect(commands(project)).toEqual(isUsed ? ['shop'] : []);
  });

  it('are trusted by a directory that is named from the user’s', () => {
    const project = at.directory('user', 'work', 'shop');
    at.projectSettings(project, oneHook('Stop', 'shop'));
    at.userSettings({ trustedDirectories: ['~/work'] });
    expect(commands(project)).toEqual(['shop']);
    at.userSettings({ trustedDirectories: ['~'] });
    expect(commands(project)).toEqual(['shop']);
    at.userSettings({ trustedDirectories: ['~/wor'] });
    expect(commands(project)).toEqual([]);
  });

  it('are found from below, the nearest only, and not above the root', () => {
    at.userSettings({ trustedDirectories: [at.base] });
    at.projectSettings(at.base, oneHook('Stop', 'above'));
    at.projectSettings(at.directory('projects', 'shop'), oneHook('Stop', 'shop'));
    const deep = at.directory('projects', 'shop', 'src', 'deep');
    expect(commands(deep)).toEqual(['shop']);
    expect(commands(at.directory('projects', 'other'))).toEqual(['above']);
    const home = at.home;
    expect(loadHooks({ home, cwd: at.directory('projects', 'other'), root: at.projects }).hooks).toEqual([]);
    expect(loadHooks({ home, cwd: deep, root: deep }).hooks).toEqual([]);
  });

  it('are looked for in the directory alone when it is outside of the root', () => {
    at.userSettings({ trustedDirectories: [at.base] });
    at.projectSettings(at.base, oneHook('Stop', 'above'));
    const root = at.directory('elsewhere');
    expect(loadHooks({ home: at.home, cwd: at.projects, root }).hooks).toEqual([]);
    at.projectSettings(at.projects, oneHook('Stop', 'here'));
    expect(loadHooks({ home: at.home, cwd: at.projects, root }).hooks).toMatchObject([{ command: 'here' }]);
  });

  it('do not come from a trusted project around an untrusted one', () => {
    const outer = at.directory('projects', 'outer');
    const inner = at.directory('clones', 'inner');
    fs.symlinkSync(inner, join(outer, 'inner'));
    at.userSettings({ trustedDirectories: [at.projects] });
    at.projectSettings(outer, oneHook('Stop', 'outer'));
    at.projectSettings(inner, oneHook('Stop', 'inner'));
    expect(load(join(outer, 'inner'))).toMatchObject({ hooks: [], untrusted: { directory: inner } });
  });

  it('of a linked directory are judged by its real path', () => {
    const clone = at.directory('clones', 'evil');
    at.projectSettings(clone, oneHook('Stop', 'evil'));
    at.userSettings({ trustedDirectories: [at.projects] });
    fs.symlinkSync(clone, join(at.projects, 'nice'));
    expect(load(join(at.projects, 'nice'))).toMatchObject({ hooks: [], untrusted: { directory: clone } });

    const shop = at.directory('projects', 'shop');
    at.projectSettings(shop, oneHook('Stop', 'shop'));
    fs.symlinkSync(shop, join(at.base, 'clones', 'shop'));
    expect(commands(join(at.base, 'clones', 'shop'))).toEqual(['shop']);

    fs.symlinkSync(at.directory('clones'), join(at.base, 'linked-trust'));
    at.userSettings({ trustedDirectories: [join(at.base, 'linked-trust')] });
    expect(commands(clone)).toEqual(['evil']);
  });

  it('that are a link are trusted only when both the place of the link and of the file are', () => {
    const clone = at.directory('clones', 'evil');
    at.projectSettings(clone, oneHook('Stop', 'evil'));
    const shop = at.directory('projects', 'shop');
    at.userSettings({ trustedDirectories: [at.projects] });
    fs.symlinkSync(join(clone, '.agent-platform'), join(shop, '.agent-platform'));
    expect(load(shop)).toMatchObject({ hooks: [], untrusted: { directory: shop } });

    const good = at.directory('projects', 'good');
    at.projectSettings(good, oneHook('Stop', './good.sh'));
    const other = at.directory('clones', 'other');
    fs.symlinkSync(join(good, '.agent-platform'), join(other, '.agent-platform'));
    expect(load(other)).toMatchObject({ hooks: [], untrusted: { directory: other } });
  });

  it('are not those of the user once more', () => {
    at.userSettings({ ...oneHook('Stop', 'user'), trustedDirectories: ['~'] });
    expect(load(at.directory('user', 'work'))).toMatchObject({ hooks: [{ command: 'user' }], untrusted: null });
  });

  it('may be missing, as may the directory of the session', () => {
    at.userSettings(oneHook('Stop', 'user'));
    at.write(join(at.projects, '.agent-platform'), 'a file, not a directory');
    expect(load()).toMatchObject({ hooks: [{ command: 'user' }], problems: [] });
    expect(load(join(at.base, 'gone'))).toMatchObject({ hooks: [{ command: 'user' }], problems: [] });
  });
});
