import { setTimeout as delay } from 'node:timers/promises';
import { Transcript } from '../../src/agent/session/transcript.js';
import { AgentSession, echoAgent } from '../support/agent-session.js';
import { eventually } from '../support/eventually.js';

describe('the echo agent', () => {
  let session: AgentSession;

  beforeEach(async () => {
    session = await AgentSession.open(echoAgent());
  });

  afterEach(() => session.remove());

  it('answers with what it was given, and counts the words', async () => {
    expect(await session.say('hello to you')).toEqual({
      stopReason: 'end_turn',
      usage: { inputTokens: 3, outputTokens: 3 },
      models: [],
      currentModel: 'echo-1',
    });
    expect(session.text).toBe('hello to you');
  });

  it('answers long texts in pieces, and emoji come out whole', async () => {
    const text = '😀a'.repeat(1_000);
    await session.say(text);
    const chunks = session.updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    expect(chunks).toHaveLength(3);
    const transcript = new Transcript('01980f73-6d55-7e6f-9071-8c9d0e1f2a3b');
    session.updates.forEach((update) => transcript.apply(update));
    expect(transcript.changed().map(({ content }) => content)).toEqual([[{ type: 'text', text }]]);
  });

  it('waits first when it is told to', async () => {
    const start = performance.now();
    await session.say('sleep:0.3 hi');
    expect(performance.now() - start).toBeGreaterThan(290);
    expect(session.text).toBe('hi');
  });

  it('stops waiting when it is cancelled', async () => {
    const prompt = session.say('sleep:60 hi');
    await delay(50);
    await session.driver.cancel();
    expect(await prompt).toMatchObject({ stopReason: 'cancelled', usage: null });
    expect(session.text).toBe('');
    expect(await session.say('again')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('writes a file when it may', async () => {
    await session.say('tool:Write hello.txt some words');
    expect(session.file('hello.txt')).toBe('some words\n');
    expect(session.questions[0]?.toolCall).toMatchObject({ kind: 'edit', title: 'Write' });
    expect(session.updates).toContainEqual(expect.objectContaining({ status: 'completed' }));
  });

  it('writes nothing outside of its directory', async () => {
    await session.say('tool:Write ../../escaped.txt x');
    expect(session.file('escaped.txt')).toBe('x\n');
  });

  it('does not do what it may not', async () => {
    session.onPermission = () => Promise.resolve({ allow: false });
    expect(await session.say('tool:Write hello.txt x')).toMatchObject({ stopReason: 'end_turn' });
    expect(() => session.file('hello.txt')).toThrow('ENOENT');
    expect(session.updates).toContainEqual(expect.objectContaining({ status: 'failed' }));
  });

  it('does not do what nobody could decide', async () => {
    session.onPermission = () => Promise.reject(new Error('cannot tell'));
    await session.say('tool:Write hello.txt x');
    expect(() => session.file('hello.txt')).toThrow('ENOENT');
  });

  it('asks before it runs a command, and says which', async () => {
    await session.say('tool:Bash rm -rf x');
    expect(session.questions[0]?.toolCall).toMatchObject({ kind: 'execute', rawInput: { command: 'rm -rf x' } });
  });

  it('hears of a cancellation while its question is open', async () => {
    session.onPermission = () => new Promise(() => undefined);
    const prompt = session.say('tool:Write hello.txt x');
    await eventually('the agent asks', () => session.questions.length > 0);
    await session.driver.cancel();
    expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
    expect(session.updates).toContainEqual(expect.objectContaining({ status: 'failed' }));
  });

  it('fails when it is told to, and goes on afterwards', async () => {
    await expect(session.say('fail')).rejects.toMatchObject({
      name: 'AgentFailed',
      message: 'The agent answered with an error: Internal error: The echo agent was told to fail.',
    });
    expect(await session.say('hi')).toMatchObject({ stopReason: 'end_turn' });
    expect(session.exits).toEqual([]);
  });

  it('crashes when it is told to', async () => {
    await expect(session.say('crash')).rejects.toMatchObject({
      name: 'AgentExited',
      message: 'The agent ended with status 1. Its last words: The echo agent was told to crash.',
    });
    await eventually('the end is told', () => session.exits.length > 0);
    expect(session.exits).toEqual([expect.objectContaining({ name: 'AgentExited' })]);
    await expect(session.say('hi')).rejects.toMatchObject({ name: 'AgentExited' });
    await session.driver.cancel();
  });

  it('lets its model and mode be set', async () => {
    expect(
      await session.driver.configure({ model: 'echo-2', interactionMode: 'spec', reasoningEffort: 'high' }),
    ).toEqual(['The agent does not offer the reasoning effort "high".']);
    expect((await session.say('hi')).currentModel).toBe('echo-2');
    expect(await session.driver.configure({ model: 'echo-3' })).toEqual([
      'The agent does not offer the model "echo-3"; it keeps its own.',
    ]);
  });

  it('is asked for one thing at a time, in one session', async () => {
    const prompt = session.say('sleep:0.2 hi');
    await expect(session.say('me too')).rejects.toThrow('another prompt');
    await expect(session.driver.open({ resume: null })).rejects.toThrow('one session');
    await prompt;
  });

  it('keeps 10,000 updates in order, and the transcript of them small', async () => {
    const transcript = new Transcript('01980f73-6d55-7e6f-9071-8c9d0e1f2a3b');
    const other = new AgentSession(echoAgent(), { onUpdate: (update) => void transcript.apply(update) });
    await other.driver.open({ resume: null });
    await other.say('updates:10000 end');
    const messages = transcript.changed();
    expect(messages).toHaveLength(2_001);
    const said = messages
      .flatMap(({ content }) => content.map(({ text }) => (typeof text === 'string' ? text : '')))
      .join('');
    const numbers = Array.from({ length: 10_000 }, (_, i) => i).filter((i) => i % 10 < 8);
    expect(said).toBe(`${numbers.join(' ')} end`);
    expect((transcript as unknown as { entries: unknown[] }).entries).toHaveLength(1);
    await other.remove();
  });

  it('takes up a session that it had before', async () => {
    const other = new AgentSession(echoAgent());
    expect(await other.driver.open({ resume: 'long-ago' })).toEqual({ agentSessionId: 'long-ago', isResumed: true });
    await other.say('hi');
    expect(other.text).toBe('hi');
    await other.remove();
  });

  it('tells of its end once when it is closed', async () => {
    await Promise.all([session.driver.close(), session.driver.close()]);
    await session.driver.close();
    expect(session.exits).toEqual([null]);
    await expect(session.say('hi')).rejects.toMatchObject({ name: 'AgentExited' });
    await expect(session.driver.configure({ interactionMode: 'spec' })).rejects.toMatchObject({ name: 'AgentExited' });
  });

  it('is closed in the middle of a prompt', async () => {
    const prompt = session.say('sleep:60 hi');
    await delay(50);
    await Promise.all([
      session.driver.close(),
      expect(prompt).rejects.toMatchObject({ message: 'The session with the agent was closed.' }),
    ]);
    expect(session.exits).toEqual([null]);
  });
});
