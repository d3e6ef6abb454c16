import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentMachine, textOf } from '../support/agent-machine.js';
import { scriptedAgent } from '../support/agent-session.js';
import type { GivenSession } from '../support/given-session.js';
import { recordingOf } from '../support/recorded-agent.js';
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

/** A session with an agent that plays a recording, changed a little. */
async function sessionWith(
  recording: string,
  change = (text: string) => text,
  autonomyLevel = 'high',
): Promise<GivenSession> {
  const file = join(machine.directory, 'recording.jsonl');
  writeFileSync(file, change(readFileSync(recording, 'utf8')));
  await machine.connected({ command: scriptedAgent(file, join(machine.directory, 'heard.jsonl')) });
  return machine.session({ autonomyLevel });
}

describe('a turn of Claude Code', () => {
  it('becomes messages with text, tool use and tool result, in order', async () => {
    const session = await sessionWith(recordingOf('claude-agent-acp'));
    const messageId = await machine.say(session, 'write hello.py');
    await machine.idle(session);
    const [user, ...answers] = await machine.messages(session);
    expect(user?.id).toBe(messageId);
    expect(answers.every(({ parentId }) => parentId === messageId)).toBe(true);
    const written = { file_path: '/repo/hello.py', content: "print('hello')\nprint('bye')\n" };
    expect(answers).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_stub01', name: 'Write', input: written }] },
      { role: 'tool', content: [{ type: 'tool_result', toolUseId: 'toolu_stub01' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Done: file written.' }] },
    ]);
  });

  it('counts once, cached input as input too, in the events and in the session', async () => {
    const session = await sessionWith(recordingOf('claude-agent-acp'));
    await machine.ask(session, 'write hello.py');
    expect(await machine.usage(session)).toMatchObject([
      { type: 'model_call', tokens: [4800, 84, 1800, 600] },
      { type: 'tool_call', name: 'Write', autonomy: 'high' },
      { type: 'file_created', name: 'Python' },
    ]);
    const { body } = await app.as(machine.user).get(session.path);
    expect(body.sessionSettings.tokenUsage ?? body.tokenUsage).toMatchObject({
      inputTokens: 4800,
      outputTokens: 84,
    });
  });

  it.each([
    ['given', "in the session's directory", (text: string) => text.replaceAll('/repo/', ''), 'allow'],
    ['refused', 'anywhere else', (text: string) => text, 'reject'],
  ])('is %s the permission to write %s', async (_, _where, change, optionId) => {
    const session = await sessionWith(recordingOf('claude-agent-acp'), change, 'medium');
    await machine.ask(session, 'write hello.py');
    const heard = readFileSync(join(machine.directory, 'heard.jsonl'), 'utf8').trim().split('\n');
    const answers = heard
      .map((line) => JSON.parse(line) as { id: number; result?: object })
      .filter(({ result }) => result);
    expect(answers).toMatchObject([{ id: 0, result: { outcome: { outcome: 'selected', optionId } } }]);
  });

  it('shows what the agent thinks apart from what it says', async () => {
    const thought = (line: string) => line.replace('agent_message_chunk', 'agent_thought_chunk');
    const session = await sessionWith(recordingOf('claude-agent-acp'), (text) =>
      text
        .split('\n')
        .flatMap((line) => (line.includes('Done: file') ? [thought(line), line] : [line]))
        .join('\n'),
    );
    const answers = await machine.ask(session, 'write hello.py');
    expect(answers.at(-1)?.content).toEqual([
      { type: 'thinking', thinking: 'Done: file written.', signature: '' },
      { type: 'text', text: 'Done: file written.' },
    ]);
  });
});

describe('a turn of Codex', () => {
  it('counts a commit that has worked', async () => {
    const session = await sessionWith(recordingOf('codex-acp'), (text) => text.replaceAll('"failed"', '"completed"'));
    expect(textOf(await machine.ask(session, 'write hello.py'))).toContain('Done.');
    expect((await machine.usage(session)).map(({ type }) => type)).toEqual(['tool_call', 'git_commit']);
  });

  it('does not count a commit that has not', async () => {
    const session = await sessionWith(recordingOf('codex-acp'));
    await machine.ask(session, 'write hello.py');
    expect((await machine.usage(session)).map(({ type }) => type)).toEqual(['tool_call']);
  });
});
