import { readPromptResult } from '../../../src/agent/acp/prompt-result.js';
import { SessionOptions } from '../../../src/agent/acp/session-options.js';
import { Transcript } from '../../../src/agent/session/transcript.js';
import { reportsOfPrompt, reportsOfToolCall } from '../../../src/agent/session/usage-log.js';
import { RelayMessage, type TurnSettings, UsageReport } from '../../../src/protocol/relay-protocol.js';
import { eventsOf, readRecording, type RecordedAgent, withoutIds } from '../../support/recorded-agent.js';

const TURN = '01980f73-6d55-7e6f-9071-8c9d0e1f2a3b';
const settings: TurnSettings = { autonomyLevel: 'medium', model: 'set' };
const context = { settings, now: () => 0 };
const HELLO = "print('hello')\nprint('bye')\n";

/** A recorded turn as it would be kept and counted; `every` is after how many events messages are taken. */
function replay(agent: RecordedAgent, every = Infinity) {
  const options = new SessionOptions();
  const opened = readRecording(agent).find(({ result }) => result && 'sessionId' in result);
  options.merge(opened?.result);
  const transcript = new Transcript(TURN);
  const reports: UsageReport[] = [];
  const latest = new Map<string, RelayMessage>();
  const take = () => transcript.changed().forEach((message) => latest.set(message.id, message));
  eventsOf(agent).forEach((event, i) => {
    if ('permission' in event) transcript.ask(event.permission.toolCall);
    else if ('result' in event) {
      reports.push(...reportsOfPrompt(readPromptResult(event.result, options.currentModel), context));
    } else {
      const call = transcript.apply(event.update);
      if (call?.isFinished) reports.push(...reportsOfToolCall(call, context));
    }
    if (i % every === 0) take();
  });
  take();
  for (const message of latest.values()) expect(RelayMessage.safeParse(message).success).toBe(true);
  for (const report of reports) expect(UsageReport.safeParse(report).success).toBe(true);
  return {
    messages: [...latest.values()].map(({ role, content }) => ({ role, content })),
    reports: withoutIds(reports),
  };
}

const CODEX_COMMAND =
  "printf 'print(1)\\n' > hello.py && git add -A && git -c user.name=a -c user.email=a@example.com commit -qm t && echo ok";
const CODEX_INPUT = {
  call_id: 'call_stub1',
  process_id: '1000',
  turn_id: 'uuid-0016',
  started_at_ms: 1794700477661,
  command: ['/bin/bash', '-lc', CODEX_COMMAND],
  cwd: '/repo',
  parsed_cmd: [{ type: 'unknown', cmd: CODEX_COMMAND }],
  source: 'unified_exec_startup',
};

const EXPECTED: Record<RecordedAgent, ReturnType<typeof replay>> = {
  'claude-agent-acp': {
    messages: [
      {
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: 'toolu_stub01',
            name: 'Write',
            input: { file_path: '/repo/hello.py', content: HELLO },
          },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool_result', toolUseId: 'toolu_stub01', content: 'File created: /repo/hello.py' }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Done: file written.' }] },
    ],
    reports: [
      { type: 'tool_call', tool: 'Write', autonomyLevel: 'medium' },
      { type: 'file_created', extension: '.py' },
      {
        type: 'model_call',
        modelId: 'unknown',
        inputTokens: 4800,
        outputTokens: 84,
        cacheReadTokens: 1800,
        cacheWriteTokens: 600,
      },
    ],
  },
  'codex-acp': {
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '<omitted: warning text>' },
          { type: 'tool_use', id: 'call_stub1', name: 'Execute', input: CODEX_INPUT },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            toolUseId: 'call_stub1',
            content: 'On branch master\nnothing to commit, working tree clean\n',
            isError: true,
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ],
    reports: [{ type: 'tool_call', tool: 'Bash', autonomyLevel: 'medium' }],
  },
  'gemini-cli': {
    messages: [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'write_file__write_file_1794700282745_0', name: 'Edit', input: {} }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            toolUseId: 'write_file__write_file_1794700282745_0',
            content: 'Created /repo/hello.py',
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ],
    reports: [
      { type: 'tool_call', tool: 'Write', autonomyLevel: 'medium' },
      { type: 'file_created', extension: '.py' },
      { type: 'model_call', modelId: 'gemini-2.5-flash', inputTokens: 2000, outputTokens: 100 },
    ],
  },
  opencode: {
    messages: [
      {
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: 'call_1',
            name: 'write',
            input: { filePath: '/repo/hello.py', content: "print('hello')\n" },
          },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool_result', toolUseId: 'call_1', content: 'Wrote file successfully.' }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ],
    reports: [
      { type: 'tool_call', tool: 'Write', autonomyLevel: 'medium' },
      { type: 'file_created', extension: '.py' },
      {
        type: 'model_call',
        modelId: 'stub/stub-model',
        inputTokens: 1000,
        outputTokens: 50,
        cacheReadTokens: 400,
      },
    ],
  },
};

describe.each(Object.keys(EXPECTED) as RecordedAgent[])('a recorded turn of %s', (agent) => {
  it('gives exactly these messages and events', () => {
    expect(replay(agent)).toEqual(EXPECTED[agent]);
  });

  it.each([1, 2, 3])('gives the same when messages are taken after every %s events', (every) => {
    expect(replay(agent, every)).toEqual(EXPECTED[agent]);
  });
});

it('a codex command that had not failed would have counted as a commit', () => {
  const transcript = new Transcript(TURN);
  const [begin] = eventsOf('codex-acp').flatMap((event) =>
    'update' in event && event.update.sessionUpdate === 'tool_call' ? [event.update] : [],
  );
  if (!begin) throw new Error('The recording has no tool call.');
  const call = transcript.apply({ ...begin, status: 'completed' });
  expect(call && reportsOfToolCall(call, context).map(({ type }) => type)).toEqual(['tool_call', 'git_commit']);
});
