import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { newApiKey } from '../../src/common/access/api-key-format.js';
import { eventually } from '../support/eventually.js';
import { Playground } from '../support/program.js';
import { describeWith } from '../support/describe-with.js';
import { hasTerminals, Terminal } from '../support/terminal.js';

const KEY = newApiKey();
const READY = /Agent Platform is ready\.\s+API\s+(http\S+)/;
/** Longer than two signals may lie apart that are one Ctrl-C. */
const LATER_MS = 1_100;
const SLOW_MS = 60_000;

describeWith('util-linux', hasTerminals)('the service in a terminal', () => {
  let place: Playground;
  const terminals: Terminal[] = [];

  beforeAll(() => {
    place = new Playground();
  });
  afterEach(async () => {
    for (const terminal of terminals.splice(0)) {
      terminal.close();
      await terminal.ended();
    }
  });
  afterAll(() => place.remove());

  function open(command: string): Terminal {
    const terminal = Terminal.open(command, { DATA_DIR: place.dataDir, PORT: '0', BOOTSTRAP_API_KEY: KEY });
    terminals.push(terminal);
    return terminal;
  }

  const expectStoppedDatabase = () => {
    expect(place.isDatabaseRunning()).toBe(false);
    expect(place.databaseLog.trimEnd()).toMatch(/database system is shut down$/);
  };

  /** A request that stays under way as long as the lock is held. */
  async function givenRequestUnderWay(terminal: Terminal): Promise<pg.Client> {
    const [, url = ''] = await terminal.printed(READY);
    const [lock, observer] = [await place.connect(), await place.connect()];
    await lock.query('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
    fetch(`${url}/api/v0/me`, { headers: { Authorization: `Bearer ${KEY}` } }).catch(() => undefined);
    const waiting = `SELECT 1 FROM pg_stat_activity a WHERE a.wait_event_type = 'Lock'`;
    await eventually('the request waits', async () => (await observer.query(waiting)).rowCount !== 0);
    await observer.end();
    return lock;
  }

  it(
    'leaves nothing behind on Ctrl-C during its first start',
    async () => {
      const terminal = open(`exec "${process.execPath}" "${resolve('dist', 'main.js')}"`);
      await terminal.printed(/Creating the database/);

      terminal.pressCtrlC();

      expect(await terminal.ended()).toBe(0);
      expect(place.isDatabaseRunning()).toBe(false);
    },
    SLOW_MS,
  );

  it(
    'stops its database in order and exits with 0 on Ctrl-C under npm, which signals as well',
    async () => {
      const terminal = open('exec npm start');
      await terminal.printed(READY);

      terminal.pressCtrlC();

      expect(await terminal.ended()).toBe(0);
      expect(terminal.output).toContain('Stopped.');
      expectStoppedDatabase();
    },
    SLOW_MS,
  );

  it(
    'does so without the requests that are under way on a second Ctrl-C, and however often it is pressed',
    async () => {
      const terminal = open('exec npm start');
      const lock = await givenRequestUnderWay(terminal);
      terminal.pressCtrlC();
      await terminal.printed(/Stopping: finishing the requests/);
      await sleep(LATER_MS);
      const startedAt = performance.now();

      for (let press = 0; press < 5; press++) terminal.pressCtrlC();

      expect(await terminal.ended()).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      expect(terminal.output).toMatch(/Stopping without the requests[^]*Stopped\./);
      expectStoppedDatabase();
      await lock.end().catch(() => undefined);
    },
    SLOW_MS,
  );

  it(
    'does so when the terminal is closed',
    async () => {
      const status = join(place.directory, 'status');
      const main = resolve('dist', 'main.js');
      // The shell in front dies of the hang-up, as any does; the one behind tells how the service ended.
      const terminal = open(`(trap : HUP; "${process.execPath}" "${main}"; echo $? > "${status}") & wait`);
      await terminal.printed(READY);

      terminal.close();

      await eventually('it has ended', () => existsSync(status) && readFileSync(status, 'utf8') !== '');
      expect(readFileSync(status, 'utf8').trim()).toBe('0');
      expectStoppedDatabase();
    },
    SLOW_MS,
  );
});
