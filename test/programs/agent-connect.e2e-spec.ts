import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { AgentMachine, textOf } from '../support/agent-machine.js';
import { echoAgent } from '../support/agent-session.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import type { GivenOrganization } from '../support/given.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: GivenOrganization;
let machine: AgentMachine;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  org = await app.given.organization();
  machine = new AgentMachine(app, await app.given.user(org));
});
afterEach(() => machine.remove());
afterAll(() => app.stop());

const computers = async () => (await app.as(org.owner).get('/api/v0/computers')).body.computers as { id: string }[];

describe('connecting', () => {
  it('registers the computer once and uses it again the next time', async () => {
    const first = await machine.connected();
    expect(first.output).toContain(`Registered this machine as the computer "${machine.name}".`);
    const [registered] = await computers();
    first.signal('SIGTERM');
    expect(await first.ended()).toMatchObject({ code: 0 });
    const second = await machine.connected();
    expect(second.output).not.toContain('Registered');
    expect(await computers()).toMatchObject([{ id: registered?.id, name: machine.name }]);
  });

  it('goes on with the sessions that it had before', async () => {
    const first = await machine.connected();
    const session = await machine.session();
    await machine.ask(session, 'one');
    first.signal('SIGTERM');
    await first.ended();
    const second = await machine.connected();
    expect(textOf(await machine.ask(session, 'two'))).toBe('two');
    expect(second.output).toContain(`${session.id}: the agent goes on in ${machine.pathOf(session)}`);
  });

  it('answers what was posted while it was away', async () => {
    const first = await machine.connected();
    const session = await machine.session();
    first.signal('SIGTERM');
    await first.ended();
    await machine.say(session, 'anybody there?');
    await machine.connected();
    await machine.idle(session);
    expect(textOf(await machine.messages(session))).toBe('anybody there?anybody there?');
  });

  it('gives agents the environment of the client without its key', async () => {
    const client = await machine.connected({ env: { FOR_THE_AGENT: 'yes' } });
    await machine.ask(await machine.session(), 'hello');
    const agents = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === client.pid);
    const environments = agents.map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    expect(environments).toHaveLength(1);
    expect(environments[0]).toContain('FOR_THE_AGENT=yes');
    expect(environments[0]).not.toContain(machine.user.key);
  });
});

describe('an agent that has to be downloaded', () => {
  const npx = (script: string) => {
    const program = join(machine.directory, 'npx');
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return [program, '-y', 'some-agent'];
  };

  it('is prepared before the computer takes turns, and the log says so', async () => {
    const client = await machine.connected({ command: npx(`sleep 1; exec ${echoAgent().join(' ')}`) });
    const said = client.output.split('\n').map((line) => line.replace(/^\S+ /, ''));
    const first = said.findIndex((line) => line.startsWith('Preparing the agent, which is downloaded'));
    expect(said.slice(first, first + 3)).toEqual([
      expect.stringContaining('npx -y some-agent'),
      expect.stringMatching(/^The agent is ready after \d+ s\.$/),
      expect.stringContaining('Connected as'),
    ]);
  });

  it('and then cannot start says so in the session', async () => {
    const file = join(machine.directory, 'started');
    const script = `[ -e ${file} ] && { echo No space left >&2; exit 1; }; touch ${file}; exec ${echoAgent().join(' ')}`;
    await machine.connected({ command: npx(script) });
    const session = await machine.session();
    const answer = await machine.ask(session, 'hello');
    expect(answer).toMatchObject([{ role: 'assistant', isError: true }]);
    expect(textOf(answer)).toContain('No space left');
    expect(await machine.turns(session)).toEqual([expect.stringMatching(/^ended /)]);
  });
});

describe('connecting is refused, or put off, with a reason', () => {
  it('when the key is not known', async () => {
    const { code, output } = await machine.start({ key: 'apk_wrong' }).ended();
    expect(code).toBe(1);
    expect(output.trim().split('\n').slice(1)).toEqual([expect.stringMatching(/key|credential|token/i)]);
  });

  it('when nobody listens at the address, until somebody does', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const client = machine.start({ url });
    const [said] = await client.printed(/cannot be reached.*Trying again/);
    expect(said).toContain('ECONNREFUSED');
    client.signal('SIGKILL');
    expect((await client.ended()).output).toContain(`${url} cannot be reached`);
  });

  it('when somebody else answers at the address', async () => {
    const website = createServer((_request, response) => response.end('<html>Welcome</html>'));
    await new Promise<void>((resolve) => website.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(website.address() as AddressInfo).port}`;
    const { code, output } = await machine.start({ url }).ended();
    await new Promise((resolve) => website.close(resolve));
    expect([code, output]).toEqual([1, expect.stringMatching(/answers, but not as the service does\.\n$/)]);
  });

  it('when an owner connects as a computer of somebody else, who stays connected', async () => {
    const theirs = await machine.connected();
    const { code, output } = await machine.start({ key: org.owner.key }).ended();
    expect([code, output]).toEqual([1, expect.stringMatching(/was registered by somebody else.*--name/)]);
    expect(textOf(await machine.ask(await machine.session(), 'still here?'))).toBe('still here?');
    expect(theirs.output).not.toContain('ended');
  });

  it('when the computer belongs to somebody else', async () => {
    const owner = new AgentMachine(app, org.owner);
    await (await owner.connected()).printed(/Connected/);
    const client = owner.start({ key: machine.user.key });
    const { code, output } = await client.ended();
    expect([code, output]).toEqual([1, expect.stringMatching(/was registered by somebody else.*--name/)]);
    await owner.remove();
  });

  it.each([
    ['does not exist', ['no-such-agent'], /Cannot start no-such-agent: there is no such command/],
    ['ends at once', ['/bin/sh', '-c', 'echo No licence >&2; exit 3'], /No licence/],
    ['speaks something else', ['/bin/sh', '-c', 'read line; echo Welcome!; sleep 0.2'], /Welcome!/],
  ])('when the agent %s, which the computer shows', async (_what, command, reason) => {
    const { code, output } = await machine.start({ command }).ended();
    expect([code, output]).toEqual([1, expect.stringMatching(/The agent cannot run sessions here/)]);
    expect(output).toMatch(reason);
    const failed = { id: 'connect-agent', status: 'failed', error: expect.stringMatching(reason) };
    expect(await machine.computer()).toMatchObject({
      status: 'error',
      provisioningSteps: expect.arrayContaining([expect.objectContaining(failed)]),
    });
  });

  it('until the agent is mended', async () => {
    await machine.start({ command: ['no-such-agent'] }).ended();
    await machine.connected();
    await eventually('the computer is active', async () => (await machine.computer()).status === 'active');
    expect(textOf(await machine.ask(await machine.session(), 'hello'))).toBe('hello');
  });
});

describe('agent doctor', () => {
  const doctor = (...args: string[]) => machine.run(['doctor', `--dir=${machine.work}`, ...args]).ended();

  it('ends with 0 when all is well', async () => {
    const { code, output } = await doctor(`--url=${app.url}`, `--key=${machine.user.key}`, '--name=laptop');
    expect([code, output]).toEqual([0, expect.not.stringContaining('✗')]);
    expect(output).toContain('✓ Agent: the built-in echo agent');
  });

  it('ends with 1 and explains that nobody listens at the address', async () => {
    const { code, output } = await doctor(`--url=http://127.0.0.1:${await freePort()}`, '--key=apk_any');
    expect(output).toMatch(/✗ Service: .*ECONNREFUSED.*\n {4}Is the address right/);
    expect(code).toBe(1);
  });
});

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
