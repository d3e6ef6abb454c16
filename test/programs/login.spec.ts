import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { PassThrough } from 'node:stream';
import { connect } from '../../src/agent/connect.js';
import { Credentials } from '../../src/agent/credentials.js';
import { examine } from '../../src/agent/doctor.js';
import { login } from '../../src/agent/login.js';
import { AgentDirectories } from '../support/agent-directories.js';
import { echoAgent } from '../support/agent-session.js';
import { givenComputer } from '../support/given-session.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { RelayAgent } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let machine: AgentDirectories;
const said: string[] = [];
const log = { info: (text: string) => void said.push(text), warn: (text: string) => void said.push(text) };

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  machine = new AgentDirectories();
  said.length = 0;
});
afterEach(() => machine.remove());
afterAll(() => app.stop());

const input = (text: string) => new PassThrough().end(text) as unknown as NodeJS.ReadStream;
const logIn = (name: string | undefined = 'laptop', key = ada.key, url = app.url) =>
  login({ url, name, home: machine.home, log, input: input(`${key}\nmore\n`) });
const stored = (name?: string) => new Credentials(machine.home).find({ name, usualName: hostname() });
const nameOf = async (id: string) => (await app.as(ada).get(`/api/v0/computers/${id}`)).body.name as string;
const connecting = (changes: object = {}) =>
  connect({
    ...{ home: machine.home, log, env: {}, dir: machine.projects, command: echoAgent(), version: '1' },
    ...{ slots: 1, idleMinutes: 1, allow: 'me' as const },
    ...changes,
  });

describe('login', () => {
  it('registers the computer and keeps its token, not the key, where only the user can read it', async () => {
    expect(await logIn()).toContain('"laptop"');
    const file = machine.home.credentialsFile;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('apk_');
    const known = stored();
    expect(known).toMatchObject({ url: app.url, name: 'laptop', token: expect.stringMatching(/^apc_/) });
    const agent = await RelayAgent.connect(app.url, known?.token ?? '', known?.id ?? '');
    expect(agent.greeting.computer.name).toBe('laptop');
    await agent.end();
  });

  it('makes a key for telemetry when asked, which replaces the one before', async () => {
    const withTelemetry = () =>
      login({ url: app.url, name: 'laptop', telemetry: true, home: machine.home, log, input: input(ada.key) });
    const keys = async () =>
      (await app.as(ada).get('/api/v0/api-keys')).body.apiKeys.filter(
        ({ scope }: { scope: string }) => scope === 'telemetry',
      );
    await withTelemetry();
    const first = stored()?.telemetryKey ?? '';
    expect(await keys()).toMatchObject([{ name: 'Telemetry of agents on laptop', scope: 'telemetry' }]);
    await withTelemetry();
    const second = stored()?.telemetryKey ?? '';
    expect([first === second, (await keys()).length]).toEqual([false, 1]);
    const send = (key: string) => app.as({ ...ada, key }).post('/api/otlp/v1/logs', { resourceLogs: [] });
    expect([(await send(second)).status, (await send(first)).status]).toEqual([200, 401]);
    await logIn();
    expect(stored()?.telemetryKey).toBe(second);
  });

  it('keeps a token that was made in the console, for which it needs the id of the computer', async () => {
    const { id } = (await app.as(ada).post('/api/v0/computers', { name: 'desk' })).body;
    const { token } = (await app.as(ada).post(`/api/v0/computers/${id}/token`)).body;
    const withToken = (changes: object, line = token) =>
      login({ url: app.url, name: 'desk', home: machine.home, log, input: input(`${line}\n`), ...changes });
    await expect(withToken({})).rejects.toThrow('--computer');
    await expect(withToken({ computer: id }, ada.key)).rejects.toThrow('a computer token has to come');
    await expect(withToken({ computer: id, telemetry: true })).rejects.toThrow('--telemetry');
    expect(await withToken({ computer: id })).toContain('"desk"');
    expect(stored('desk')).toMatchObject({ url: app.url, id, token });
    const agent = await RelayAgent.connect(app.url, token, id);
    expect(agent.greeting.computer.name).toBe('desk');
    await agent.end();
  });

  it('tells neither key nor token', async () => {
    const text = [await logIn(), ...said].join('\n');
    expect(text).not.toMatch(/ap[kc]_/);
  });

  it('again makes a new token for the same computer', async () => {
    await logIn();
    const first = stored();
    await logIn();
    expect(stored()).toEqual({ ...first, token: expect.not.stringContaining(first?.token ?? '') });
  });

  it("is for a computer of one's own: a namesake of somebody else is an error that says so", async () => {
    const theirs = await givenComputer(app, ada);
    await expect(logIn(await nameOf(theirs), org.owner.key)).rejects.toThrow(/registered by somebody else.*--name/);
    expect(existsSync(machine.home.credentialsFile)).toBe(false);
  });

  it.each([
    ['no key', '', /No API key/],
    ['a key that is none', 'apk_wrong', /not a valid/],
  ])('with %s is an error', async (_, key, reason) => {
    await expect(logIn('laptop', key)).rejects.toThrow(reason);
  });

  it('keeps several computers apart', async () => {
    await logIn('one');
    await logIn('two');
    expect([stored('ONE')?.name, stored('two')?.name]).toEqual(['one', 'two']);
    expect(() => stored()).toThrow(/"one".*"two".*--name/);
  });

  it('does not guess what a broken file meant', async () => {
    await logIn();
    writeFileSync(machine.home.credentialsFile, '{"computers": [');
    expect(() => stored()).toThrow(/broken/);
  });
});

describe('connecting after a login', () => {
  it('needs no address, no name and no key', async () => {
    await logIn();
    const { token = '', id = '' } = stored() ?? {};
    const running = connecting({ command: ['no-such-agent'] }); // says hello, says what is wrong, and ends
    expect(await running).toBe(1);
    expect((await app.as(ada).get(`/api/v0/computers/${id}`)).body.status).toBe('error');
    expect(said.join('\n')).not.toContain(token);
    expect(said.join('\n')).not.toContain('API key');
  });

  it('warns of a key that is given all the same, and does not use it', async () => {
    await logIn();
    await connecting({ command: ['no-such-agent'], key: 'apk_wrong' });
    expect(said.join('\n')).toMatch(/can be read by everything that runs as this user.*not needed/);
  });

  it('says what to do when the token has ended', async () => {
    await logIn();
    await app.as(ada).post(`/api/v0/computers/${stored()?.id}/token`);
    await expect(connecting({ command: ['no-such-agent'] })).rejects.toThrow(/agent login/);
  });

  it('is looked at by the doctor without taking the place of an agent that is connected', async () => {
    await logIn();
    const { token = '', id = '' } = stored() ?? {};
    const agent = await RelayAgent.connect(app.url, token, id);
    const options = { url: undefined, key: undefined, name: undefined, dir: machine.projects, home: machine.home };
    const { text, exitCode } = await examine({ ...options, command: echoAgent(), env: process.env });
    expect([exitCode, text]).toEqual([0, expect.stringContaining(`✓ Computer: "laptop" (${id})`)]);
    expect(agent.relay.closed).toBeNull();
    await agent.end();
  });
});

describe('connecting without a login', () => {
  it('says what to do when there is no key either', async () => {
    await expect(connecting()).rejects.toThrow(/agent login/);
  });

  it('with a key works, with a warning', async () => {
    expect(await connecting({ url: app.url, key: ada.key, name: 'laptop', command: ['no-such-agent'] })).toBe(1);
    expect(said.join('\n')).toMatch(/can be read by everything that runs as this user.*agent login/);
  });
});
