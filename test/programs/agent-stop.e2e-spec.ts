import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AgentMachine, textOf } from '../support/agent-machine.js';
import { isRunning } from '../support/agent-session.js';
import { eventually } from '../support/eventually.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let machine: AgentMachine;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  machine = new AgentMachine(app, await app.given.user(await app.given.organization()));
});
afterEach(() => machine.remove());
afterAll(() => app.stop());

const onEnd = (command: string) => ({ hooks: { SessionEnd: [{ hooks: [{ type: 'command', command }] }] } });

describe('stopping the client', () => {
  it('raises SessionEnd for each open session, and counts it', async () => {
    machine.settings(onEnd('cat > ended.json'));
    const client = await machine.connected();
    const sessions = [await machine.session(), await machine.session()];
    await Promise.all(sessions.map((session) => machine.ask(session, 'hello')));
    client.signal('SIGTERM');
    expect(await client.ended()).toMatchObject({ code: 0 });
    for (const session of sessions) {
      const input: unknown = JSON.parse(readFileSync(machine.pathOf(session, 'ended.json'), 'utf8'));
      expect(input).toMatchObject({ hook_event_name: 'SessionEnd', session_id: session.id, reason: 'other' });
      expect(await machine.hookRuns(session)).toEqual([['SessionEnd', '', 'cat > ended.json']]);
    }
  });

  it('during a turn ends the agent with all its processes, and the next client answers', async () => {
    const pids = join(machine.directory, 'pids');
    const echo = `exec "$0" "$1" echo`;
    const script = `echo $$ >> ${pids}; sleep 300 & echo $! >> ${pids}; ${echo}`;
    const command = ['/bin/sh', '-c', script, process.execPath, resolve('dist/agent/main.js')];
    const client = await machine.connected({ command });
    const session = await machine.session();
    await machine.say(session, 'sleep:2 done');
    await machine.working(session);
    await client.printed(/the agent has started/);
    client.signal('SIGTERM');
    expect(await client.ended()).toMatchObject({ code: 0 });
    const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    expect([started.length, started.filter(isRunning)]).toEqual([4, []]);
    expect(await machine.turns(session)).toEqual(['running']);
    await machine.connected();
    await machine.idle(session);
    expect(textOf(await machine.messages(session))).toBe('sleep:2 donedone');
    expect(await machine.turns(session)).toEqual(['ended completed']);
  });

  it('leaves messages that are posted meanwhile to the next client', async () => {
    machine.settings(onEnd('touch ending; sleep 2'));
    const client = await machine.connected();
    const [open, other] = [await machine.session(), await machine.session()] as const;
    await machine.ask(open, 'hello');
    client.signal('SIGTERM');
    await eventually('the hook runs', () => existsSync(machine.pathOf(open, 'ending')));
    await machine.say(open, 'one');
    await machine.say(other, 'two');
    expect(await client.ended()).toMatchObject({ code: 0 });
    await machine.connected();
    await Promise.all([open, other].map((session) => machine.idle(session)));
    expect(await machine.turns(open)).toEqual(['ended completed', 'ended completed']);
    expect(await machine.turns(other)).toEqual(['ended completed']);
  });

  it('a second time does not wait', async () => {
    machine.settings(onEnd('sleep 50'));
    const client = await machine.connected();
    await machine.ask(await machine.session(), 'hello');
    client.signal('SIGTERM');
    await client.printed(/Stopping/);
    const before = performance.now();
    client.signal('SIGTERM');
    expect(await client.ended()).toMatchObject({ code: 1 });
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  it('is not cut short by another client that takes over meanwhile', async () => {
    machine.settings(onEnd('touch ending; sleep 3; touch ended'));
    const client = await machine.connected();
    const session = await machine.session();
    await machine.ask(session, 'hello');
    client.signal('SIGTERM');
    await eventually('the hook runs', () => existsSync(machine.pathOf(session, 'ending')));
    await machine.connected();
    await client.ended();
    expect(existsSync(machine.pathOf(session, 'ended'))).toBe(true);
  });
});
