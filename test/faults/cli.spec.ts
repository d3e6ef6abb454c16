import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { Playground, type Program } from '../support/program.js';

const KEY = /^apk_\w+$/m;

describe('the command line', () => {
  let place: Playground;
  let firstKey: string;

  beforeAll(() => {
    place = new Playground();
  });
  afterAll(() => place.remove());

  describe('without a service', () => {
    it('starts the database, founds an organization, prints the key of its owner and stops the database', async () => {
      const { code, output } = await place.cli('org', 'create', '--name', 'Acme', '--owner-email', 'ada@example.com');

      expect({ code, output }).toEqual({
        code: 0,
        output: expect.stringMatching(
          /Organization "Acme" \([0-9a-f-]{36}\) was created, owned by ada@example.com\./,
        ) as string,
      });
      firstKey = KEY.exec(output)?.[0] ?? '';
      expect(firstKey).toHaveLength(53);
      expect(place.isDatabaseRunning()).toBe(false);
      expect(place.databaseLog.trimEnd()).toMatch(/database system is shut down$/);
    });

    it('refuses a name that is taken with a clear message, and stops the database again', async () => {
      const { code, output } = await place.cli('org', 'create', '--name', 'Acme', '--owner-email', 'eve@example.com');

      expect(code).toBe(1);
      expect(output).toMatch(/^There is an organization "Acme" already\.$/m);
      expect(output).not.toMatch(/\n {4}at /);
      expect(place.isDatabaseRunning()).toBe(false);
    });

    it('explains how a command should have been written, without touching the database', async () => {
      const { code, output } = await place.cli('user', 'set-role', '--email', 'ada@example.com', '--role', 'root');

      expect(code).toBe(1);
      expect(output).toContain('Allowed choices are owner, manager, member, guest.');
      expect(output).toContain('Usage: cli user set-role');
      expect(output).not.toContain('Postgres');
    });
  });

  describe('beside a running service', () => {
    let service: Program;
    let url: string;

    beforeAll(async () => {
      service = place.service();
      url = await service.ready();
    });

    const call = (method: string, path: string, key: string) =>
      fetch(url + path, { method, headers: { Authorization: `Bearer ${key}` } });
    const roleOf = async (key: string) => {
      const answer = await call('GET', '/api/v0/me', key);
      return answer.status === 200 ? ((await answer.json()) as { role: string }).role : answer.status;
    };

    it('has made a key that works, so the service founds no organization of its own', async () => {
      expect(service.output).not.toContain('apk_');
      expect(await roleOf(firstKey)).toBe('owner');
    });

    it('creates a key, and revokes it within a second', async () => {
      const created = await place.cli(
        'key',
        'create',
        '--org',
        'Acme',
        '--email',
        'ADA@example.com',
        '--name',
        'from the shell',
      );
      const [, id = ''] = /API key ([0-9a-f-]{36}) of ADA@example.com \(owner\)/.exec(created.output) ?? [];
      const key = KEY.exec(created.output)?.[0] ?? '';
      expect([created.code, await roleOf(key)]).toEqual([0, 'owner']);

      const revoked = await place.cli('key', 'revoke', '--id', id);

      expect(revoked).toEqual({ code: 0, output: `API key ${id} ("from the shell") is revoked.\n` });
      await eventually('the key is refused', async () => (await roleOf(key)) === 401, 1_000);
      expect(await roleOf(firstKey)).toBe('owner');
    });

    it('changes a role, which holds within a second', async () => {
      const email = 'eve@example.com';
      const body = JSON.stringify({ email, role: 'guest' });
      const headers = { Authorization: `Bearer ${firstKey}`, 'Content-Type': 'application/json' };
      await fetch(`${url}/api/v0/organization/users`, { method: 'POST', headers, body });
      const key = KEY.exec((await place.cli('key', 'create', '--email', email)).output)?.[0] ?? '';
      expect(await roleOf(key)).toBe('guest');

      const changed = await place.cli('user', 'set-role', '--email', email, '--role', 'manager');

      expect(changed).toEqual({ code: 0, output: `${email} is now manager (was guest).\n` });
      await eventually('the new role holds', async () => (await roleOf(key)) === 'manager', 1_000);
    });

    it('imports teams from a file', async () => {
      const file = join(place.dataDir, 'teams.csv');
      writeFileSync(file, 'email,team,from,to\nada@example.com,Backend,2026-01-01,\n');
      const { code, output } = await place.cli('teams', 'import', file, '--org', 'Acme');

      expect([code, output]).toEqual([0, expect.stringContaining('1 teams created: Backend')]);
      const answer = await call('GET', '/api/v0/organization/teams', firstKey);
      const { teams } = (await answer.json()) as { teams: object[] };
      expect(teams).toMatchObject([{ name: 'Backend', members: [{ from: '2026-01-01' }] }]);
    });

    it('says which line of a file of teams is wrong, also in a dry run', async () => {
      const file = join(place.dataDir, 'wrong.csv');
      writeFileSync(file, 'email,team,from,to\nada@example.com,Backend,yesterday,\n');
      const { code, output } = await place.cli('teams', 'import', file, '--dry-run');

      expect(code).toBe(1);
      expect(output).toMatch(/^Nothing was imported:\n {2}line 2: from: must be a day written YYYY-MM-DD/);
    });

    it.each([
      [['key', 'create', '--org', 'Nobody', '--email', 'ada@example.com'], 'There is no organization "Nobody".'],
      [['key', 'create', '--email', 'nobody@example.com'], 'There is no user "nobody@example.com".'],
      [['key', 'revoke', '--id', '1'], 'There is no API key "1".'],
    ])('refuses %j with a clear message', async (args, message) => {
      const { code, output } = await place.cli(...args);

      expect(code).toBe(1);
      expect(output).toMatch(new RegExp(`^${message}.*\n$`));
    });

    it('leaves the database of the service running', async () => {
      expect(place.isDatabaseRunning()).toBe(true);
      service.signal('SIGTERM');
      expect((await service.ended()).code).toBe(0);
      expect(place.isDatabaseRunning()).toBe(false);
    });
  });
});
