import { join, resolve } from 'node:path';
import { Transcript } from '../../src/agent/session/transcript.js';
import { AgentSession, scriptedAgent } from '../support/agent-session.js';
import { eventsOf, type RecordedAgent, RECORDED_AGENTS, recordingOf } from '../support/recorded-agent.js';

const TURN = '01980f73-6d55-7e6f-9071-8c9d0e1f2a3b';

interface Heard {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

describe.each([...RECORDED_AGENTS])('a scripted %s', (agent) => {
  let session: AgentSession;

  const open = async (allow = true) => {
    session = new AgentSession((directory) =>
      scriptedAgent(resolve(recordingOf(agent)), join(directory, 'heard.jsonl')),
    );
    session.onPermission = () => Promise.resolve({ allow });
    await session.driver.open({ resume: null });
  };
  const heard = (): Heard[] =>
    session
      .file('heard.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Heard);

  afterEach(() => session.remove());

  it('is led through its turn, and everything it says is heard in order', async () => {
    await open();
    const result = await session.say('write hello.py');
    expect(result.stopReason).toBe('end_turn');
    const recorded = eventsOf(agent).flatMap((event) => ('update' in event ? [event.update] : []));
    expect(session.updates).toEqual(recorded);
    const transcript = new Transcript(TURN);
    session.updates.forEach((update) => transcript.apply(update));
    expect(transcript.changed().map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant']);
  });

  it('names its model without a provider', async () => {
    await open();
    const { currentModel } = await session.say('write hello.py');
    const models: Record<RecordedAgent, string> = {
      'claude-agent-acp': 'default',
      'codex-acp': 'stub-model',
      'gemini-cli': 'gemini-2.5-flash',
      opencode: 'stub-model',
    };
    expect(currentModel).toBe(models[agent]);
  });

  it('is told exactly what the protocol wants', async () => {
    await open();
    await session.say('write hello.py');
    const ask = ['Bash', 'Edit', 'Write', 'NotebookEdit', 'WebFetch'];
    const emitRawSDKMessages = [{ type: 'system', subtype: 'init' }, { type: 'result' }];
    const claudeCode = { emitRawSDKMessages, options: { settings: { permissions: { ask } } } };
    const meta = agent === 'claude-agent-acp' ? { _meta: { claudeCode } } : {};
    const calls = heard().filter(({ method }) => method !== undefined);
    expect(calls.map(({ method, params }) => [method, params])).toEqual([
      [
        'initialize',
        {
          protocolVersion: 1,
          clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
          clientInfo: { name: 'agent-platform', version: '0.1.0' },
        },
      ],
      ['session/new', { cwd: expect.stringContaining('agent-session-'), mcpServers: [], ...meta }],
      ['session/prompt', { sessionId: expect.any(String), prompt: [{ type: 'text', text: 'write hello.py' }] }],
    ]);
  });

  const asks: Partial<Record<RecordedAgent, [string, string]>> = {
    'claude-agent-acp': ['allow', 'reject'],
    'gemini-cli': ['proceed_once', 'cancel'],
  };

  it.each([true, false])('is answered when it asks: %s', async (allow) => {
    await open(allow);
    await session.say('write hello.py');
    const [yes, no] = asks[agent] ?? [];
    const optionId = allow ? yes : no;
    const outcomes = heard().flatMap(({ result }) => (result ? [result.outcome] : []));
    expect(outcomes).toEqual(optionId === undefined ? [] : [{ outcome: 'selected', optionId }]);
    expect(session.questions).toHaveLength(optionId === undefined ? 0 : 1);
  });

  it('is set to what the session wants', async () => {
    await open();
    const wanted: Record<RecordedAgent, [string, [string, Record<string, string>][], number]> = {
      'claude-agent-acp': [
        'sonnet',
        [
          ['session/set_config_option', { configId: 'model', value: 'sonnet' }],
          ['session/set_mode', { modeId: 'plan' }],
          ['session/set_config_option', { configId: 'effort', value: 'high' }],
        ],
        0,
      ],
      'codex-acp': [
        'gpt-5.4',
        [
          ['session/set_config_option', { configId: 'model', value: 'gpt-5.4' }],
          ['session/set_mode', { modeId: 'read-only' }],
        ],
        1,
      ],
      'gemini-cli': [
        'gemini-2.5-pro',
        [
          ['session/set_model', { modelId: 'gemini-2.5-pro' }],
          ['session/set_mode', { modeId: 'plan' }],
        ],
        1,
      ],
      opencode: [
        'big-pickle',
        [
          ['session/set_config_option', { configId: 'model', value: 'opencode/big-pickle' }],
          ['session/set_config_option', { configId: 'mode', value: 'plan' }],
        ],
        1,
      ],
    };
    const [model, changes, notes] = wanted[agent];
    const told = await session.driver.configure({ model, interactionMode: 'spec', reasoningEffort: 'high' });
    expect(told).toHaveLength(notes);
    const calls = heard().filter(({ method }) => method?.startsWith('session/set'));
    const sessionId = expect.any(String);
    expect(calls.map(({ method, params }) => [method, params])).toEqual(
      changes.map(([method, params]) => [method, { ...params, sessionId }]),
    );
  });
});
