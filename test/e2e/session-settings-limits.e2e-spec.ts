import { givenSession, type GivenSession } from '../support/given-session.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let session: GivenSession;

beforeAll(async () => {
  app = await TestApp.start();
  const org = await app.given.organization();
  session = await givenSession(app, await app.given.user(org));
});
afterAll(() => app.stop());

const change = (sessionSettings: object | string) =>
  app
    .as(session.user)
    .patch(
      session.path,
      typeof sessionSettings === 'string' ? `{"sessionSettings":${sessionSettings}}` : { sessionSettings },
    );

const many = <T>(count: number, item: T): T[] => Array<T>(count).fill(item);
const text = (length: number) => '👩'.repeat(length);

describe('settings at their limit are accepted', () => {
  it.each<[string, object]>([
    ['a model of one character', { model: 'm' }],
    ['a model of 200 code points', { model: text(200) }],
    ['a model for specification mode of 200 code points', { specModeModel: text(200) }],
    ['no active time', { assistantActiveTimeMs: 0 }],
    ['the largest active time', { assistantActiveTimeMs: Number.MAX_SAFE_INTEGER }],
    ['no tags', { tags: [] }],
    ['100 tags', { tags: many(100, { name: 't' }) }],
    ['a tag of 200 code points', { tags: [{ name: text(200) }] }],
    ['a tag with empty metadata', { tags: [{ name: 't', metadata: {} }] }],
    ['500 enabled tools', { enabledToolIds: many(500, 'x') }],
    ['a tool of 200 code points', { enabledToolIds: [text(200)] }],
    ['500 disabled tools', { disabledToolIds: many(500, 'x') }],
    ['a leap day', { archivedAt: '2028-02-29T23:59:59.999Z' }],
  ])('%s', async (_what, settings) => {
    const { status, body } = await change(settings);
    expect(status).toBe(200);
    expect(body.sessionSettings).toMatchObject(settings);
  });
});

const NOT_STRINGS = [5, true, {}, ['auto'], ''];
const NOT_INSTANTS = ['2026-02-30T00:00:00Z', '2026-11-15', '2026-11-15T08:30:00', 'now', 1763193600000, ''];
const NOT_LISTS = ['Read', {}, [5], [null], [''], [['Read']]];
const wrong: [field: string, value: unknown][] = [
  ...[...NOT_STRINGS, text(201)].flatMap((value): [string, unknown][] => [
    ['model', value],
    ['specModeModel', value],
  ]),
  ...[...NOT_STRINGS, 'None', 'none ', 'extreme', 'toString'].flatMap((value): [string, unknown][] => [
    ['reasoningEffort', value],
    ['specModeReasoningEffort', value],
    ['interactionMode', value],
    ['autonomyLevel', value],
    ['autonomyMode', value],
    ['providerLock', value],
    ['apiProviderLock', value],
  ]),
  ...NOT_INSTANTS.flatMap((value): [string, unknown][] => [
    ['providerLockTimestamp', value],
    ['archivedAt', value],
  ]),
  ...[-1, 1.5, '5', true, [5]].map((value): [string, unknown] => ['assistantActiveTimeMs', value]),
  ...[...NOT_LISTS, many(501, 'x'), [text(201)]].flatMap((value): [string, unknown][] => [
    ['enabledToolIds', value],
    ['disabledToolIds', value],
  ]),
  ...['x', {}, ['x'], [null], many(101, { name: 't' })].map((value): [string, unknown] => ['tags', value]),
];

describe('settings that are wrong are 400 and say where', () => {
  it.each(wrong.map(([field, value]) => [field, JSON.stringify(value).slice(0, 40), value]))(
    '%s: %s',
    async (field, _shown, value) => {
      const { status, body } = await change({ [field]: value });
      expect([status, body.errors?.[0]?.field]).toEqual([400, `sessionSettings.${field}`]);
    },
  );

  it.each<[string, unknown]>([
    ['tags.0.name', [{}]],
    ['tags.0.name', [{ name: '' }]],
    ['tags.0.name', [{ name: null }]],
    ['tags.0.name', [{ name: text(201) }]],
    ['tags.0.metadata', [{ name: 't', metadata: null }]],
    ['tags.0.metadata', [{ name: 't', metadata: [] }]],
    ['tags.0.metadata', [{ name: 't', metadata: { a: 1 } }]],
    ['tags.0.metadata', [{ name: 't', metadata: { a: { b: 'c' } } }]],
    ['tags.1.color', [{ name: 't' }, { name: 't', color: 'red' }]],
  ])('%s of %j', async (field, tags) => {
    const { status, body } = await change({ tags });
    expect([status, body.errors?.[0]?.field]).toEqual([400, `sessionSettings.${field}`]);
  });

  it.each(['tokenUsage', 'title', 'status', 'Model', 'orgId', 'compactionModel'])(
    'the field %s, which cannot be set',
    async (field) => {
      const { status, body } = await change({ [field]: { inputTokens: 5 } });
      expect([status, body.errors?.[0]?.field]).toEqual([400, `sessionSettings.${field}`]);
    },
  );

  it.each([
    ['an active time that cannot be held exactly', '{"assistantActiveTimeMs":9007199254740993}'],
    ['an active time beyond all numbers', '{"assistantActiveTimeMs":1e400}'],
    ['a NUL character', '{"model":"a\\u0000"}'],
    ['a lone surrogate', '{"model":"a\\ud800"}'],
    ['a lone surrogate in the key of metadata', '{"tags":[{"name":"t","metadata":{"\\udc00":"x"}}]}'],
    ['__proto__', '{"__proto__":{"polluted":"yes"}}'],
    ['__proto__ in metadata', '{"tags":[{"name":"t","metadata":{"__proto__":"x"}}]}'],
    ['constructor in metadata', '{"tags":[{"name":"t","metadata":{"constructor":"x"}}]}'],
    ['the same field twice', '{"model":"a","model":"b"}'],
  ])('%s', async (_what, settings) => {
    expect((await change(settings)).status).toBe(400);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
