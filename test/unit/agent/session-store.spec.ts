import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionStore } from '../../../src/agent/session/session-store.js';

let directory: string;

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'session-store-')), 'sessions');
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true, force: true }));

describe('what agents call sessions', () => {
  it('is not known at first', () => {
    expect(new SessionStore(directory).find('one')).toBeNull();
  });

  it('is known after a restart, for each session', () => {
    const store = new SessionStore(directory);
    store.put('one', 'agent 1');
    store.put('two', 'agent 2');
    store.put('one', 'agent 3');
    const next = new SessionStore(directory);
    expect([next.find('one'), next.find('two')]).toEqual(['agent 3', 'agent 2']);
  });

  it('is not known when the client died while it wrote it down', () => {
    const store = new SessionStore(directory);
    writeFileSync(join(directory, 'one'), '');
    expect(store.find('one')).toBeNull();
  });

  it('is for this user only', () => {
    new SessionStore(directory).put('one', 'agent 1');
    expect([directory, join(directory, 'one')].map((path) => statSync(path).mode & 0o077)).toEqual([0, 0]);
  });
});
