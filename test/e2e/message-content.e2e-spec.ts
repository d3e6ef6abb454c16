import { givenSession, type GivenSession, givenStoredMessage } from '../support/given-session.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let session: GivenSession;

beforeAll(async () => {
  app = await TestApp.start();
  const org = await app.given.organization();
  session = await givenSession(app, await app.given.user(org));
});
afterAll(() => app.stop());

const get = (id: string) => app.as(session.user).get(`${session.path}/messages/${id}`);

/** The text of `content` in an answer, as it came over the wire. */
const contentIn = (text: string) => /"content":(\[.*\]),"createdAt"/s.exec(text)?.[1];

const png = { type: 'base64', data: 'aGk=', mediaType: 'image/png' };
const pdf = { type: 'base64', mediaType: 'application/pdf', data: 'JVBERg==', parsedData: '', name: 'a', path: 'b/a' };

const blocks: [string, object][] = [
  ['text', { type: 'text', text: 'hello' }],
  ['text with an id', { type: 'text', text: '', id: 'b1' }],
  ['image', { type: 'image', source: png }],
  ['image that was generated', { type: 'image', source: png, id: 'b2', generated: true }],
  ['thinking', { type: 'thinking', signature: '', thinking: 'hm' }],
  [
    'thinking with everything',
    { type: 'thinking', signature: 's', thinking: 'hm', id: 'b3', signatureProvider: 'p', durationMs: 12.5 },
  ],
  ['redacted thinking', { type: 'redacted_thinking', data: 'x', id: 'b4' }],
  ['use of a tool', { type: 'tool_use', id: 't1', name: 'Read', input: { z: 1, a: [null, { b: '' }] } }],
  ['use of a tool with a signature', { type: 'tool_use', id: 't1', name: 'R', input: {}, thoughtSignature: 's' }],
  ['result of a tool', { type: 'tool_result', toolUseId: 't1' }],
  ['result of a tool as text', { type: 'tool_result', toolUseId: 't1', content: 'ok', isError: false, id: 'b5' }],
  [
    'result of a tool as blocks',
    {
      type: 'tool_result',
      toolUseId: 't1',
      isError: true,
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', source: png },
      ],
    },
  ],
  ['document', { type: 'document', source: pdf, id: 'b6' }],
  [
    'document of text',
    { type: 'document', source: { type: 'text', mediaType: 'text/plain', data: 'x', mime: 'text/x' } },
  ],
];

describe('a block of content', () => {
  it.each(blocks)('that is a %s comes back as it is', async (_what, block) => {
    const id = await givenStoredMessage(app, session, { role: 'assistant', content: JSON.stringify([block]) });
    expect(contentIn((await get(id)).text)).toBe(JSON.stringify([block]));
  });

  it('keeps its place among others', async () => {
    const content = JSON.stringify(blocks.map(([, block]) => block));
    const id = await givenStoredMessage(app, session, { role: 'assistant', content });
    expect(contentIn((await get(id)).text)).toBe(content);
  });

  it.each([
    ['the order of keys', '{"z":1,"a":2,"Z":{"y":1,"b":2}}'],
    ['numbers up to the largest exact one', '{"a":9007199254740991,"b":-0.1,"c":1e+300,"d":5e-324}'],
    ['strings of all kinds', '{"a":"\\\\\\"/","b":"👩\u2028","c":"\\n\\u0001","":"empty"}'],
    ['empty things', '{"a":[],"b":{},"c":null,"d":[[]]}'],
    ['keys that every object has', '{"constructor":1,"toString":{"__proto__":2}}'],
    ['deep nesting', `{"a":${'['.repeat(60)}${']'.repeat(60)}}`],
  ])('keeps %s', async (_what, input) => {
    const content = `[{"type":"tool_use","id":"t","name":"n","input":${input}}]`;
    const id = await givenStoredMessage(app, session, { role: 'assistant', content });
    expect(contentIn((await get(id)).text)).toBe(content);
  });
});

describe('the optional fields of a message', () => {
  const details = {
    parentId: 'p',
    visibility: 'llm_only',
    openaiMessageId: 'msg_1',
    openaiPhase: 'commentary',
    openaiEncryptedContent: 'gAAA',
    openaiReasoningId: 'rs_1',
    openaiReasoningSummary: 'summary',
    geminiThoughtSignature: 'sig',
    chatCompletionReasoningField: 'reasoning_content',
    chatCompletionReasoningContent: 'because',
    isUserVisible: false,
    isError: true,
  };

  it('come back as they are', async () => {
    const id = await givenStoredMessage(app, session, { role: 'assistant', details: JSON.stringify(details) });
    expect((await get(id)).body).toMatchObject(details);
  });

  it('are absent when they were never given', async () => {
    const id = await givenStoredMessage(app, session, { role: 'tool' });
    expect(Object.keys((await get(id)).body).sort()).toEqual(['content', 'createdAt', 'id', 'role', 'updatedAt']);
  });

  it('can hold a phase that is null', async () => {
    const id = await givenStoredMessage(app, session, { role: 'assistant', details: '{"openaiPhase":null}' });
    expect((await get(id)).body.openaiPhase).toBeNull();
  });
});
