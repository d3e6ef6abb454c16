import { type PermissionOptionKind, RequestError } from '@agentclientprotocol/sdk';
import { AgentExited, AgentFailed } from '../../../src/agent/acp/agent-driver.js';
import { asksForLogin, exitMessage, explain, loginMessage } from '../../../src/agent/acp/agent-errors.js';
import { parseEcho } from '../../../src/agent/acp/echo-directives.js';
import { answerOf } from '../../../src/agent/acp/permission-answer.js';
import { toPromptBlocks } from '../../../src/agent/acp/prompt-blocks.js';
import { readUpdate } from '../../../src/agent/acp/session-update.js';
import type { ContentBlock } from '../../../src/protocol/relay-protocol.js';

describe('the answer to a question for permission', () => {
  const options = (...kinds: PermissionOptionKind[]) =>
    kinds.map((kind) => ({ kind, optionId: `id-${kind}`, name: kind }));

  it.each<[boolean, PermissionOptionKind[], string | null]>([
    [true, ['allow_always', 'allow_once', 'reject_once'], 'id-allow_once'],
    [true, ['reject_once', 'allow_always'], 'id-allow_always'],
    [true, ['reject_once', 'reject_always'], null],
    [true, [], null],
    [false, ['allow_always', 'allow_once', 'reject_always', 'reject_once'], 'id-reject_once'],
    [false, ['allow_once', 'reject_always'], 'id-reject_always'],
    [false, ['allow_once', 'allow_always'], null],
  ])('%s to %j is %s', (allow, kinds, optionId) => {
    const outcome = optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
    expect(answerOf(allow, options(...kinds))).toEqual(outcome);
  });
});

describe('what a user says', () => {
  const all = { takesImages: true, takesEmbeddedContext: true };
  const none = { takesImages: false, takesEmbeddedContext: false };
  const image: ContentBlock = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'aGk=' } };
  const file = (source: Record<string, string>): ContentBlock => ({ type: 'document', source });
  const pdf = file({ type: 'base64', mediaType: 'application/pdf', data: 'JVBERg==', name: 'a b.pdf' });
  const note = file({ type: 'base64', mediaType: 'text/plain', data: 'aGk=' });

  it.each<[string, ContentBlock, typeof all | null, unknown]>([
    ['text', { type: 'text', text: 'hi', id: 'x' }, null, { type: 'text', text: 'hi' }],
    ['an image', image, all, { type: 'image', data: 'aGk=', mimeType: 'image/png' }],
    [
      'an image to an agent that sees none',
      image,
      none,
      {
        type: 'text',
        text: '[The user attached a file of type image/png, which cannot be passed on to this agent.]',
      },
    ],
    [
      'a text file',
      note,
      all,
      { type: 'resource', resource: { uri: 'attachment:///attachment-0', mimeType: 'text/plain', text: 'hi' } },
    ],
    ['a text file in the text', note, none, { type: 'text', text: 'Attachment a file of type text/plain:\n\nhi' }],
    [
      'text that is not encoded',
      file({ type: 'text', mediaType: 'text/markdown', data: '# a', name: 'a.md' }),
      none,
      { type: 'text', text: 'Attachment a.md (text/markdown):\n\n# a' },
    ],
    [
      'another file',
      pdf,
      all,
      { type: 'resource', resource: { uri: 'attachment:///a%20b.pdf', mimeType: 'application/pdf', blob: 'JVBERg==' } },
    ],
    [
      'another file to an agent that takes none',
      pdf,
      none,
      {
        type: 'text',
        text: '[The user attached a b.pdf (application/pdf), which cannot be passed on to this agent.]',
      },
    ],
    [
      'a file of which the text is known',
      file({ type: 'base64', mediaType: 'application/pdf', data: 'JVBERg==', parsedData: 'Chapter 1' }),
      none,
      { type: 'text', text: 'Attachment a file of type application/pdf:\n\nChapter 1' },
    ],
  ])('%s', (_, block, agent, expected) => {
    expect(toPromptBlocks([block], agent)).toEqual([expected]);
  });

  it('is left out when it makes no sense, and never nothing at all', () => {
    const blocks: ContentBlock[] = [
      { type: 'tool_result' },
      { type: 'image' },
      { type: 'document', source: 1 },
      { type: 'text' },
    ];
    expect(toPromptBlocks(blocks, all)).toEqual([{ type: 'text', text: '' }]);
  });
});

describe('an update of an agent', () => {
  const read = (update: unknown) => readUpdate({ sessionId: 's', update })?.update;

  it.each([
    undefined,
    null,
    'x',
    {},
    { sessionUpdate: 'brand_new' },
    { sessionUpdate: 7 },
    { sessionUpdate: 'agent_message_chunk' },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'hologram' } },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 7 } },
    { sessionUpdate: 'tool_call', title: 'x' },
    { sessionUpdate: 'tool_call_update', toolCallId: '' },
    { sessionUpdate: 'available_commands_update' },
    { sessionUpdate: 'current_mode_update' },
  ])('%j is none', (update) => {
    expect(read(update)).toBeUndefined();
  });

  it.each([undefined, null, 1, {}, { sessionId: 1 }, { update: {} }])('with parameters %j is none', (params) => {
    expect(readUpdate(params)).toBeNull();
  });

  it('loses what makes no sense in it, not more', () => {
    const update = {
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      title: 7,
      kind: 'teleport',
      status: 'done',
      content: [{ type: 'diff', path: '/a', oldText: 5 }, { type: 'smell' }, 'x'],
      locations: [{ path: 1 }, { path: '/a', line: 3 }],
      rawOutput: { a: 1 },
      _meta: 'x',
      extra: true,
    };
    expect(read(update)).toEqual({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      content: [{ type: 'diff', path: '/a', newText: '' }],
      locations: [{ path: '/a', line: 3 }],
      rawOutput: { a: 1 },
      extra: true,
    });
  });

  it('may be of a kind that is only passed on', () => {
    expect(read({ sessionUpdate: 'usage_update', used: 1 })).toEqual({ sessionUpdate: 'usage_update', used: 1 });
  });
});

describe('what went wrong', () => {
  it.each<[unknown, string]>([
    [
      new RequestError(-32603, 'Internal error', { details: 'no key' }),
      'The agent answered with an error: Internal error: no key',
    ],
    [new RequestError(-32603, 'Internal error', 'why'), 'The agent answered with an error: Internal error: why'],
    [new RequestError(-32603, 'Out of credit'), 'The agent answered with an error: Out of credit'],
    [new Error('x'), 'x'],
    ['y', 'y'],
  ])('%p is told as %j', (error, message) => {
    expect(explain(error)).toMatchObject({ name: 'AgentFailed', message });
  });

  it('stays what it is, with the last words of the agent', () => {
    const error = new AgentExited('gone');
    expect(explain(error)).toBe(error);
    expect(explain(error, 'help')).toMatchObject({ name: 'AgentExited', message: 'gone Its last words: help' });
    expect(explain(new AgentFailed('late'), 'x'.repeat(5_000)).message.length).toBeLessThan(2_100);
  });

  it.each<[Parameters<typeof exitMessage>[0], string]>([
    [{ code: 3, signal: null }, 'The agent ended with status 3. Its last words: why'],
    [{ code: null, signal: 'SIGKILL' }, 'The agent was ended by SIGKILL. Its last words: why'],
    [null, 'The agent closed its output. Its last words: why'],
  ])('%j is told as %j', (exit, message) => {
    expect(exitMessage(exit, 'why')).toBe(message);
  });

  it('is a missing login only where the agent says so', () => {
    const ways = [
      { id: 'key', name: 'API key' },
      { id: 'sso', name: 'sso' },
    ];
    const error = RequestError.authRequired();
    expect(asksForLogin(error, ways) && loginMessage(error, ways)).toBe(
      'The agent wants to be logged in (Authentication required). It offers: API key (key), sso. Log in with its own program, or set its key.',
    );
    expect(asksForLogin(error, [])).toBe(true);
    expect(asksForLogin(new RequestError(-32000, 'Busy'), [])).toBe(false);
    expect(asksForLogin(new RequestError(-32603, 'auth'), ways)).toBe(false);
    expect(asksForLogin(new Error('auth'), ways)).toBe(false);
  });
});

describe('what the echo agent is told', () => {
  it.each<[string, ReturnType<typeof parseEcho>]>([
    ['hello', { directives: [], rest: 'hello' }],
    ['sleep:0.5 hi', { directives: [{ name: 'sleep', seconds: 0.5 }], rest: 'hi' }],
    [
      ' sleep:2  tool:Bash  ls -la',
      {
        directives: [
          { name: 'sleep', seconds: 2 },
          { name: 'tool', tool: 'Bash' },
        ],
        rest: 'ls -la',
      },
    ],
    ['updates:100', { directives: [{ name: 'updates', count: 100 }], rest: '' }],
    ['fail', { directives: [{ name: 'fail' }], rest: '' }],
    ['crash now', { directives: [{ name: 'crash' }], rest: 'now' }],
    ['hello sleep:1', { directives: [], rest: 'hello sleep:1' }],
    ['sleep:x failure tool:', { directives: [], rest: 'sleep:x failure tool:' }],
    ['', { directives: [], rest: '' }],
  ])('%j', (text, expected) => {
    expect(parseEcho(text)).toEqual(expected);
  });
});
