import { setTimeout as delay } from 'node:timers/promises';
import { Transcript } from '../../src/agent/session/transcript.js';
import { AgentSession, badAgent, echoAgent, isRunning } from '../support/agent-session.js';
import { eventually } from '../support/eventually.js';

/** The processes that an agent says it has. */
const pidsOf = (session: AgentSession) =>
  eventually('the agent tells its processes', () =>
    session.text === '' ? null : (JSON.parse(session.text) as number[]),
  );

describe('an agent that behaves badly', () => {
  let session: AgentSession;

  const open = async (way: string) => {
    session = await AgentSession.open(badAgent(way), { graceMs: 500 });
  };

  afterEach(() => session.remove());

  it('may print whatever it likes beside the protocol', async () => {
    await open('garbage');
    expect(await session.say('x')).toMatchObject({ stopReason: 'end_turn' });
    expect(session.text).toBe('still here');
    expect(session.updates).toHaveLength(1);
    expect(session.questions).toEqual([]);
  });

  it('may not send lines without end', async () => {
    await open('huge-line');
    await expect(session.say('x')).rejects.toMatchObject({
      name: 'AgentFailed',
      message: 'The agent sent a line of more than 16777216 bytes.',
    });
    await eventually('the end is told', () => session.exits.length > 0);
    expect(session.exits).toHaveLength(1);
  });

  it('that exits in the middle of a prompt is quoted', async () => {
    await open('exit');
    const error = await session.say('x').then(
      () => new Error('It did not fail.'),
      (reason: unknown) => reason as Error,
    );
    expect(error.name).toBe('AgentExited');
    expect(error.message).toMatch(/^The agent ended with status 3\. Its last words: ….*the disk is full$/);
    expect(error.message.length).toBeLessThan(2_200);
    expect(session.text).toBe('last words');
  });

  it('that answers and exits at once has answered', async () => {
    await open('answer-and-exit');
    expect(await session.say('x')).toMatchObject({ stopReason: 'end_turn' });
    expect(session.text).toBe('done');
    await eventually('the end is told', () => session.exits.length > 0);
  });

  it('has answered also when the client was too busy to read that before the agent had gone', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => AgentSession.open(badAgent('answer-and-exit'))));
    [session] = sessions as [AgentSession];
    const answers = sessions.map((one) => one.say('x'));
    await delay(20);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600); // all five answer and exit meanwhile
    expect(await Promise.allSettled(answers)).toEqual(
      sessions.map(() => ({
        status: 'fulfilled',
        value: expect.objectContaining({ stopReason: 'end_turn' }) as unknown,
      })),
    );
    await Promise.all(sessions.map((one) => one.remove()));
  });

  it('that closes its output is ended', async () => {
    await open('close-output');
    await expect(session.say('x')).rejects.toMatchObject({
      name: 'AgentFailed',
      message: 'The agent closed its output.',
    });
    await eventually('the end is told', () => session.exits.length > 0);
  });

  it('that does not listen when it is cancelled can be closed', async () => {
    await open('hang');
    const prompt = session.say('x');
    await eventually('it has begun', () => session.text !== '');
    await session.driver.cancel();
    await Promise.all([session.driver.close(), expect(prompt).rejects.toMatchObject({ name: 'AgentExited' })]);
  });

  it('that ignores signals is killed, with what it has started', async () => {
    await open('stubborn');
    const prompt = session.say('x');
    const pids = await pidsOf(session);
    expect(pids.map(isRunning)).toEqual([true, true]);
    const start = performance.now();
    await Promise.all([session.driver.close(), expect(prompt).rejects.toMatchObject({ name: 'AgentExited' })]);
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(performance.now() - start).toBeGreaterThan(490);
    expect(session.exits).toEqual([null]);
  });

  it('that is killed leaves nothing behind', async () => {
    await open('stubborn');
    const prompt = session.say('x');
    const [agent = 0, grandchild = 0] = await pidsOf(session);
    process.kill(agent, 'SIGKILL');
    await expect(prompt).rejects.toMatchObject({ name: 'AgentExited', message: 'The agent was ended by SIGKILL.' });
    await eventually('the end is told', () => session.exits.length > 0);
    expect(isRunning(grandchild)).toBe(false);
    expect(session.exits).toEqual([expect.objectContaining({ name: 'AgentExited' })]);
  });

  it('that exits while another process holds its output is noticed', async () => {
    await open('orphan');
    await expect(session.say('x')).rejects.toMatchObject({ message: 'The agent ended with status 1.' });
    const [grandchild = 0] = await pidsOf(session);
    await eventually('the end is told', () => session.exits.length > 0);
    expect(isRunning(grandchild)).toBe(false);
  });

  it('sends 10,000 updates and its answer in one go: all updates come first', async () => {
    const transcript = new Transcript('01980f73-6d55-7e6f-9071-8c9d0e1f2a3b');
    session = await AgentSession.open(badAgent('burst'), { onUpdate: (update) => void transcript.apply(update) });
    await session.say('x');
    const [message, ...others] = transcript.changed();
    expect(others).toEqual([]);
    expect(message?.content).toEqual([
      { type: 'text', text: Array.from({ length: 10_000 }, (_, i) => `${i} `).join('') },
    ]);
  });
});

describe('a session cannot be opened', () => {
  const open = async (command: string[], openTimeoutMs = 10_000, cwd?: string) => {
    const session = new AgentSession(command, { graceMs: 200, openTimeoutMs, ...(cwd === undefined ? {} : { cwd }) });
    const failure = await session.driver.open({ resume: null }).then(
      () => new Error('It was opened.'),
      (error: unknown) => error as Error,
    );
    expect(session.exits).toEqual([]);
    await session.remove();
    return `${failure.name}: ${failure.message}`;
  };

  it.each<[string, string[], string]>([
    ['without such a command', ['no-such-agent'], 'AgentExited: Cannot start no-such-agent: there is no such command.'],
    ['with a command that is not executable', ['/usr'], 'AgentExited: Cannot start /usr: spawn /usr EACCES.'],
    ['without any command', [], "AgentExited: Cannot start : The argument 'file' cannot be empty. Received ''."],
    [
      'with an agent that exits',
      [process.execPath, '-e', 'console.error("no key"); process.exit(2)'],
      'AgentExited: The agent ended with status 2. Its last words: no key',
    ],
    [
      'with something that is no agent',
      [process.execPath, '-e', 'console.log("usage: x")'],
      'AgentExited: The agent ended with status 0. Its last words: usage: x',
    ],
    [
      'with an agent that wants to be logged in',
      badAgent('login'),
      'AgentFailed: The agent wants to be logged in (Authentication required). It offers: API key (key). Log in with its own program, or set its key.',
    ],
    [
      'with an agent of another version',
      badAgent('version'),
      'AgentFailed: The agent speaks version 2 of ACP; version 1 is needed.',
    ],
    [
      'with an agent that has no name for it',
      badAgent('no-id'),
      'AgentFailed: The agent answered session/new without a session id.',
    ],
  ])('%s', async (_, command, message) => {
    expect(await open(command)).toBe(message);
  });

  it('in a directory that is not there', async () => {
    expect(await open(echoAgent(), 10_000, '/no/such/place')).toMatch(/there is no directory \/no\/such\/place\.$/);
  });

  it('with an agent that does not answer', async () => {
    const session = new AgentSession(badAgent('silent'), { graceMs: 200, openTimeoutMs: 1_500 });
    const failure = await session.driver.open({ resume: null }).catch((error: unknown) => error as Error);
    const message = /^The agent did not answer within 1\.5 seconds\. Its last words: waiting for nothing in (\d+)$/;
    expect(failure).toMatchObject({ name: 'AgentFailed', message: expect.stringMatching(message) });
    expect(isRunning(Number(message.exec((failure as Error).message)?.[1]))).toBe(false);
    await session.remove();
  });

  it('after it was closed', async () => {
    const session = new AgentSession(echoAgent());
    const opening = session.driver.open({ resume: null });
    await session.driver.close();
    await expect(opening).rejects.toMatchObject({ name: 'AgentExited' });
    await session.remove();
  });

  it('and is asked nothing before it is open', async () => {
    const session = new AgentSession(echoAgent());
    await expect(session.say('x')).rejects.toThrow('There is no session with the agent.');
    expect(await session.driver.configure({})).toEqual([]);
    await session.driver.cancel();
    await session.remove();
    expect(session.exits).toEqual([]);
  });
});

describe('an agent that is to go on with a session', () => {
  it('does, and what it says again is not heard, except which commands it has', async () => {
    const session = new AgentSession(badAgent('load'));
    expect(await session.driver.open({ resume: 's' })).toEqual({ agentSessionId: 's', isResumed: true });
    await session.say('x');
    await delay(50);
    expect(session.updates).toEqual([
      { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'init' }] },
    ]);
    await session.remove();
  });

  it.each(['load-fails', 'hang'])('begins a new one when it cannot (%s)', async (way) => {
    const session = new AgentSession(badAgent(way), { graceMs: 200 });
    expect(await session.driver.open({ resume: 'old' })).toEqual({ agentSessionId: 's', isResumed: false });
    await session.remove();
  });
});
