import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { v5 as uuidv5 } from 'uuid';
import { Transcript } from '../../../src/agent/session/transcript.js';
import { MAX_MESSAGE_BYTES, RelayMessage } from '../../../src/protocol/relay-protocol.js';

const TURN = '01980f73-6d55-7e6f-9071-8c9d0e1f2a3b';

const say = (text: string, messageId?: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  messageId,
});
const think = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text },
});
const use = (toolCallId: string, fields: Partial<ToolCallUpdate> = {}): SessionUpdate => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title: 'Read',
  ...(fields as object),
});
const change = (toolCallId: string, fields: Partial<ToolCallUpdate>): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...fields,
});
const done = (toolCallId: string, rawOutput = 'ok') => change(toolCallId, { status: 'completed', rawOutput });

/** All messages as they are at the end. */
const messagesOf = (...updates: SessionUpdate[]) => {
  const transcript = new Transcript(TURN);
  for (const update of updates) transcript.apply(update);
  const messages = transcript.changed();
  for (const message of messages) expect(RelayMessage.safeParse(message).error).toBeUndefined();
  return messages;
};
const contentOf = (...updates: SessionUpdate[]) => messagesOf(...updates).map(({ content }) => content);
const toolUse = (id: string, input = {}) => ({ type: 'tool_use', id, name: 'Read', input });
const result = (toolUseId: string, content = 'ok') => ({ type: 'tool_result', toolUseId, content });

describe('a transcript', () => {
  it('joins consecutive chunks of a kind', () => {
    expect(contentOf(think('a'), think('b'), say('c'), say('d'), think('e'))).toEqual([
      [
        { type: 'thinking', thinking: 'ab', signature: '' },
        { type: 'text', text: 'cd' },
        { type: 'thinking', thinking: 'e', signature: '' },
      ],
    ]);
  });

  it('begins a new message when the agent does', () => {
    const texts = contentOf(say('a', 'm1'), say('b', 'm1'), say('c'), say('d', 'm2'), say('e', 'm2'));
    expect(texts).toEqual([[{ type: 'text', text: 'abc' }], [{ type: 'text', text: 'de' }]]);
  });

  it('puts tool calls into the message and results into messages of their own', () => {
    expect(messagesOf(say('a'), use('1'), done('1'), say('b')).map(({ role, content }) => [role, content])).toEqual([
      ['assistant', [{ type: 'text', text: 'a' }, toolUse('1')]],
      ['tool', [result('1')]],
      ['assistant', [{ type: 'text', text: 'b' }]],
    ]);
  });

  it('says when a tool has failed', () => {
    const [, [block]] = contentOf(use('1'), change('1', { status: 'failed', rawOutput: 'no' })) as [unknown, unknown[]];
    expect(block).toEqual({ ...result('1', 'no'), isError: true });
  });

  it('keeps calls that run together in one message', () => {
    expect(contentOf(use('1'), use('2'), done('2', 'b'), done('1', 'a'), use('3'), done('3', 'c'))).toEqual([
      [toolUse('1'), toolUse('2')],
      [result('2', 'b')],
      [result('1', 'a')],
      [toolUse('3')],
      [result('3', 'c')],
    ]);
  });

  it('fills in the input when it comes', () => {
    const transcript = new Transcript(TURN);
    transcript.apply(use('1', { rawInput: {} }));
    expect(transcript.changed()[0]?.content).toEqual([toolUse('1')]);
    transcript.apply(change('1', { rawInput: { path: 'a' } }));
    expect(transcript.changed()[0]?.content).toEqual([toolUse('1', { path: 'a' })]);
  });

  it('knows calls of which the agent only asked, or only told the end', () => {
    const transcript = new Transcript(TURN);
    expect(transcript.ask({ toolCallId: '1', title: 'Read' })).toMatchObject({ name: 'Read', isFinished: false });
    expect(transcript.changed()[0]?.content).toEqual([toolUse('1')]);
    transcript.apply(done('1'));
    transcript.apply(change('2', { title: 'Read', status: 'completed', rawOutput: 'x' }));
    expect(transcript.changed().map(({ content }) => content)).toEqual([
      [result('1')],
      [toolUse('2')],
      [result('2', 'x')],
    ]);
  });

  it('has nothing to say of a call after its end', () => {
    const transcript = new Transcript(TURN);
    transcript.apply(use('1'));
    transcript.apply(done('1'));
    transcript.changed();
    expect(transcript.apply(done('1', 'late'))).toBeNull();
    transcript.ask({ toolCallId: '1', title: 'late' });
    expect(transcript.changed()).toEqual([]);
  });

  it('keeps images', () => {
    const image: SessionUpdate = {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    };
    expect(contentOf(say('a'), image, say('b'))).toEqual([
      [
        { type: 'text', text: 'a' },
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'aGk=' } },
        { type: 'text', text: 'b' },
      ],
    ]);
  });

  it.each<SessionUpdate>([
    { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'x' } },
    { sessionUpdate: 'plan', entries: [] },
    { sessionUpdate: 'available_commands_update', availableCommands: [] },
    { sessionUpdate: 'current_mode_update', currentModeId: 'plan' },
    { sessionUpdate: 'config_option_update', configOptions: [] },
    { sessionUpdate: 'usage_update', used: 1, size: 2 },
    say(''),
    say('\u0000'),
    think(''),
  ])('has no message for %j', (update) => {
    expect(messagesOf(update)).toEqual([]);
  });

  it('makes text well-formed, but not before it is whole', () => {
    const [first, second] = ['😀'.charAt(0), '😀'.charAt(1)];
    expect(contentOf(say(`a\u0000${first}`), say(second), say('\udc00'))).toEqual([
      [{ type: 'text', text: 'a😀\ufffd' }],
    ]);
  });
});

describe('the messages of a transcript', () => {
  it('have ids that come from the turn and their place', () => {
    const ids = ['assistant-0', 'tool-1', 'assistant-2'].map((name) => uuidv5(name, TURN));
    const updates = [say('a'), use('1'), done('1'), say('b')];
    expect(messagesOf(...updates).map(({ id }) => id)).toEqual(ids);
    expect(messagesOf(say('other'), use('9'), done('9'), think('b')).map(({ id }) => id)).toEqual(ids);
  });

  it('are told of when they change, each as it is then', () => {
    const transcript = new Transcript(TURN);
    transcript.apply(say('a'));
    const [first] = transcript.changed();
    expect(transcript.changed()).toEqual([]);
    transcript.apply(say('b'));
    expect(transcript.changed()).toEqual([{ ...first, content: [{ type: 'text', text: 'ab' }] }]);
  });

  it('do not change after they were told of', () => {
    const transcript = new Transcript(TURN);
    transcript.apply(say('a'));
    const taken = transcript.changed();
    const copy = structuredClone(taken);
    transcript.apply(say('b'));
    transcript.apply(use('1'));
    transcript.changed();
    expect(taken).toEqual(copy);
  });

  it('are complete when nothing can be added and no call in them is open', () => {
    const transcript = new Transcript(TURN);
    const isComplete = () => transcript.isComplete(uuidv5('assistant-0', TURN));
    for (const update of [say('a'), use('1'), use('2')]) transcript.apply(update);
    transcript.changed();
    expect(isComplete()).toBe(false);
    transcript.apply(done('1'));
    expect(transcript.changed().map(({ role }) => role)).toEqual(['tool']);
    expect(isComplete()).toBe(false);
    transcript.apply(change('2', { rawInput: { a: 1 } }));
    transcript.apply(done('2'));
    expect(transcript.changed().map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(isComplete()).toBe(true);
    expect(transcript.isComplete(uuidv5('tool-1', TURN))).toBe(true);
  });
});

describe('the size of messages', () => {
  const bytesOf = (message: RelayMessage) => Buffer.byteLength(JSON.stringify(message));

  it('is bounded for text, with a note of what is missing', () => {
    const [content] = contentOf(say('x'.repeat(600_000)), say('x'.repeat(600_000)), say('xyz'), think('more'));
    expect(content).toEqual([{ type: 'text', text: `${'x'.repeat(1_000_000)}… [cut: 200007 characters]` }]);
  });

  it.each(['€', '\u0001', '😀', '"\\'])('is bounded in bytes, also with %j', (character) => {
    const messages = messagesOf(think(character.repeat(900_000)), say(character.repeat(900_000)));
    for (const message of messages) expect(bytesOf(message)).toBeLessThan(MAX_MESSAGE_BYTES);
  });

  it('is bounded in blocks', () => {
    const updates = Array.from({ length: 250 }, (_, i) => (i % 2 === 0 ? say('a') : think('b')));
    expect(messagesOf(...updates).map(({ content }) => content.length)).toEqual([100, 100, 50]);
  });

  it('is bounded for inputs that come at once', () => {
    const rawInput = { content: '€'.repeat(190_000) };
    const messages = messagesOf(...Array.from({ length: 20 }, (_, i) => use(`${i}`, { rawInput })));
    for (const message of messages) expect(bytesOf(message)).toBeLessThan(MAX_MESSAGE_BYTES);
    expect(messages.flatMap(({ content }) => content)).toHaveLength(20);
  });

  it('is bounded for inputs that come later', () => {
    const rawInput = { content: '€'.repeat(190_000) };
    const ids = Array.from({ length: 100 }, (_, i) => `${i}`);
    const messages = messagesOf(...ids.map((id) => use(id)), ...ids.map((id) => change(id, { rawInput })));
    expect(messages).toHaveLength(1);
    for (const message of messages) expect(bytesOf(message)).toBeLessThan(MAX_MESSAGE_BYTES);
  });

  it('is bounded for images, and huge ones are left out', () => {
    const image = (length: number): SessionUpdate => ({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'image', data: 'A'.repeat(length), mimeType: 'image/png' },
    });
    const messages = messagesOf(image(3_000_000), image(3_000_000), say('x'), image(5_000_000));
    for (const message of messages) expect(bytesOf(message)).toBeLessThan(MAX_MESSAGE_BYTES);
    expect(messages.map(({ content }) => content.map(({ type }) => type))).toEqual([['image'], ['image', 'text']]);
    expect(messages[1]?.content[1]?.text).toBe('x[image: image/png, too large to be kept]');
  });
});

describe('a turn of 10,000 updates', () => {
  it('leaves nothing behind but what is open', () => {
    const transcript = new Transcript(TURN);
    let taken = 0;
    for (let i = 0; i < 10_000; i += 1) {
      const id = `call-${Math.floor(i / 4)}`;
      transcript.apply(
        [use(id, { rawInput: { i } }), say(`${i}`), done(id), think('x'.repeat(100))][i % 4] ?? say('x'),
      );
      if (i % 10 === 9) taken += transcript.changed().length;
    }
    taken += transcript.changed().length;
    expect(taken).toBeGreaterThanOrEqual(5_000);
    const { entries, places } = transcript as unknown as { entries: unknown[]; places: Map<string, unknown> };
    expect([entries.length, places.size]).toEqual([1, 0]);
  });

  it('does not wait for tool calls that never end', () => {
    const transcript = new Transcript(TURN);
    for (let i = 0; i < 10_000; i += 1) {
      transcript.apply(use(`call-${i}`, { rawInput: { i } }));
      transcript.changed();
    }
    const { entries, places } = transcript as unknown as { entries: unknown[]; places: Map<string, unknown> };
    expect(places.size).toBeLessThanOrEqual(200);
    expect(entries.length).toBeLessThanOrEqual(4);
  });
});
