import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type DoctorOptions, examine } from '../../src/agent/doctor.js';
import { AgentDirectories } from '../support/agent-directories.js';
import { echoAgent } from '../support/agent-session.js';
import type { GivenUser } from '../support/given.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let ada: GivenUser;
let machine: AgentDirectories;
let server: Server | null = null;

beforeAll(async () => {
  app = await TestApp.start();
  ada = await app.given.user(await app.given.organization());
});
beforeEach(() => {
  machine = new AgentDirectories();
});
afterEach(async () => {
  machine.remove();
  const running = server;
  server = null;
  if (running) await new Promise((resolve) => running.close(resolve));
});
afterAll(() => app.stop());

const look = (changes: Partial<DoctorOptions> = {}) =>
  examine({
    ...{ url: app.url, key: ada.key, name: undefined, dir: machine.projects, home: machine.home, env: process.env },
    command: echoAgent(),
    ...changes,
  });

/** A service that is not quite ours. */
async function serving(answer: RequestListener): Promise<string> {
  const listening = createServer(answer);
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  server = listening;
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

describe('the doctor finds all well', () => {
  it('before the first connection', async () => {
    const { text, exitCode } = await look({ name: 'laptop' });
    expect(text.split('\n')).toEqual([
      `✓ Working directory: ${machine.projects}`,
      `✓ Own files: ${machine.home.directory}`,
      '✓ Settings: 0 hooks',
      `✓ Agent: "${echoAgent().join(' ')}" speaks ACP`,
      '✓ Permissions: this agent is unknown; a turn ends when something is changed without asking',
      `✓ Service: ${app.url}`,
      expect.stringContaining(`✓ Key: ${ada.email}, member of Organization`),
      '✓ Computer: "laptop" will be registered when it connects',
    ]);
    expect(exitCode).toBe(0);
  });

  it('with a computer that is registered, whose socket it opens', async () => {
    const { body } = await app.as(ada).post('/api/v0/computers', { name: 'workstation' });
    const { text, exitCode } = await look({ name: 'workstation' });
    const path = `/api/v0/computers/${body.id}/client`;
    expect(text).toContain(`✓ Computer: "workstation" (${body.id})`);
    expect(text).toContain(`✓ WebSocket: ${app.url.replace('http', 'ws')}${path}`);
    expect(exitCode).toBe(0);
  });

  it('with hooks, and with hooks that are switched off', async () => {
    const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] };
    machine.userSettings({ hooks });
    expect((await look()).text).toContain('✓ Settings: 1 hooks');
    machine.userSettings({ hooks, hooksDisabled: true });
    expect((await look()).text).toContain('✓ Settings: hooks are switched off');
  });
});

describe('the doctor explains', () => {
  it('a directory that cannot be used', async () => {
    const dir = join(machine.write(join(machine.base, 'file'), 'text'), 'below');
    const { text, exitCode } = await look({ dir });
    expect(text).toMatch(/✗ Working directory: .*ENOTDIR.*\n {4}Give this user the right to write there/);
    expect(exitCode).toBe(1);
  });

  it('settings that are broken', async () => {
    machine.userSettings('{\n  "hooks": [\n}');
    const { text, exitCode } = await look();
    expect(text).toMatch(/✗ Settings: .*settings\.json.*\n.*do not run until it is mended/);
    expect(exitCode).toBe(1);
  });

  it.each([
    ['does not exist', ['no-such-agent'], 'there is no such command'],
    ['ends', ['/bin/sh', '-c', 'echo No licence >&2; exit 3'], 'No licence'],
  ])('an agent that %s', async (_what, command, reason) => {
    const { text, exitCode } = await look({ command });
    expect(text).toMatch(new RegExp(`✗ Agent: .*${reason}.*\\n {4}The command behind "--" has to start an agent`));
    expect(exitCode).toBe(1);
  });

  it.each([{ url: undefined }, { key: undefined }])('what was not given: %p', async (missing) => {
    const { text, exitCode } = await look(missing);
    expect(text).toMatch(
      /✗ Service: there is no token, and no address or no key was given\n {4}Run "agent login", or give/,
    );
    expect(exitCode).toBe(1);
  });

  it('a service that is not ready', async () => {
    const url = await serving((_request, response) => response.writeHead(503).end());
    const { text, exitCode } = await look({ url });
    expect(text).toContain('✗ Service: it answers 503\n    Its database may be away; try later.');
    expect(exitCode).toBe(1);
  });

  it('clocks that differ', async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString();
    const url = await serving((_request, response) => response.writeHead(200, { date }).end('{}'));
    expect((await look({ url })).text).toMatch(/Service: reached, but the clocks differ by 3[56]\d\d s/);
  });

  it('a key that is not known', async () => {
    const { text, exitCode } = await look({ key: 'apk_wrong' });
    expect(text).toMatch(/✗ Key: .+\n {4}Make a key in the organization, or ask an owner for one\./);
    expect(exitCode).toBe(1);
  });

  it('a proxy that lets no WebSocket through', async () => {
    const computer = { id: '1', name: 'box', relayClientUrl: 'ws://inside/api/v0/computers/1/client' };
    const me = { user: { email: 'ada@example.com' }, role: 'owner', organization: { name: 'Shop' } };
    const url = await serving((request, response) => {
      const isComputer = request.url?.includes('/computers/') ?? false;
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(isComputer ? computer : me));
    });
    const { text, exitCode } = await look({ url, name: 'box' });
    expect(text).toMatch(/✗ WebSocket: .+\n {4}A proxy in between has to let WebSockets through/);
    expect(exitCode).toBe(1);
  });

  it('a website that is not the service', async () => {
    const url = await serving((_request, response) => response.writeHead(200).end('<html>Welcome</html>'));
    const { text, exitCode } = await look({ url });
    expect(text).toContain(`✗ Key: ${url} answers, but not as the service does.`);
    expect(exitCode).toBe(1);
  });
});
