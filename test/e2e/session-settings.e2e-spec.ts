import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenComputer, givenSession, SESSIONS } from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let computerId: string;
let path: string;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  org = await app.given.organization();
  ada = await app.given.user(org);
  computerId = await givenComputer(app, ada);
});
beforeEach(async () => {
  ({ path } = await givenSession(app, ada, computerId));
});
afterAll(() => app.stop());

type Settings = Record<string, unknown>;

const create = (sessionSettings: Settings) => app.as(ada).post(SESSIONS, { computerId, sessionSettings });
const change = (sessionSettings: Settings) => app.as(ada).patch(path, { sessionSettings });

/** The settings as they are stored, without what the session has used. */
async function settings(): Promise<Settings> {
  return without((await app.as(ada).get(path)).body.sessionSettings as Settings, 'tokenUsage');
}

function without(all: Settings, field: string): Settings {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== field));
}

const EVERY_FIELD = {
  model: 'model-a',
  reasoningEffort: 'none',
  interactionMode: 'auto',
  autonomyLevel: 'medium',
  autonomyMode: 'auto-medium',
  specModeModel: 'model-b',
  specModeReasoningEffort: 'max',
  providerLock: 'anthropic',
  providerLockTimestamp: '2026-11-15T08:30:00+01:00',
  apiProviderLock: 'vertex_anthropic',
  assistantActiveTimeMs: 93_500,
  archivedAt: '2026-11-15T08:30:00.123Z',
  tags: [{ name: 'release', metadata: { version: '1.4', leer: '' } }, { name: 'ohne' }],
  enabledToolIds: ['Read', 'Edit'],
  disabledToolIds: [],
};

const WORDS: Record<string, string[]> = {
  reasoningEffort: ['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  specModeReasoningEffort: ['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  interactionMode: ['auto', 'spec', 'agi', 'mission'],
  autonomyLevel: ['off', 'low', 'medium', 'high'],
  autonomyMode: ['normal', 'spec', 'auto-low', 'auto-medium', 'auto-high'],
  providerLock: 'anthropic openai generic-chat-completion-api factory google xai voyage bedrock-converse'.split(' '),
  apiProviderLock:
    'bedrock anthropic vertex_anthropic bedrock_anthropic bedrock_converse openai azure_openai google xai fireworks baseten snowflake'.split(
      ' ',
    ),
};

describe('every settings field', () => {
  it('is returned as it was given at creation', async () => {
    const { status, body } = await create(EVERY_FIELD);
    expect([status, without(body.sessionSettings as Settings, 'tokenUsage')]).toEqual([201, EVERY_FIELD]);
  });

  it('is returned as it was given in a change, and kept', async () => {
    expect((await change(EVERY_FIELD)).status).toBe(200);
    expect(await settings()).toEqual(EVERY_FIELD);
  });

  it.each(Object.keys(EVERY_FIELD).filter((field) => field !== 'autonomyMode'))(
    '%s is cleared by null, and the others stay',
    async (field) => {
      await change(EVERY_FIELD);
      const { status } = await change({ [field]: null });
      expect(status).toBe(200);
      const now = await settings();
      expect(now).not.toHaveProperty(field);
      expect({ ...now, autonomyMode: '' }).toEqual({ ...without(EVERY_FIELD, field), autonomyMode: '' });
    },
  );

  it.each(Object.entries(WORDS).flatMap(([field, words]) => words.map((word) => [field, word])))(
    '%s can be "%s"',
    async (field, word) => {
      const { status, body } = await change({ [field]: word });
      expect([status, body.sessionSettings?.[field]]).toEqual([200, word]);
    },
  );
});

describe('a change of settings', () => {
  it('leaves alone what it does not name', async () => {
    await change({ model: 'a', archivedAt: '2026-11-15T08:30:00Z' });
    await change({ reasoningEffort: 'low' });
    expect(await settings()).toEqual({ model: 'a', archivedAt: '2026-11-15T08:30:00Z', reasoningEffort: 'low' });
  });

  it('replaces a list as a whole', async () => {
    await change({ tags: [{ name: 'a' }, { name: 'b' }], enabledToolIds: ['Read'] });
    await change({ tags: [{ name: 'c' }] });
    expect(await settings()).toEqual({ tags: [{ name: 'c' }], enabledToolIds: ['Read'] });
  });

  it('moves updatedAt', async () => {
    clock.advance(5);
    const { body } = await change({ model: 'model-b' });
    expect(body.updatedAt).toBe(clock.now().getTime());
  });

  it.each([
    ['is empty', {}],
    ['says what is so already', { model: 'model-a', tags: [{ name: 'a' }] }],
    ['clears what is not set', { reasoningEffort: null }],
  ])('that %s changes nothing, updatedAt neither', async (_, same) => {
    await change({ model: 'model-a', tags: [{ name: 'a' }] });
    const before = await app.as(ada).get(path);
    clock.advance(5);
    expect((await change(same)).body).toEqual(before.body);
    expect((await app.as(ada).get(path)).body).toEqual(before.body);
  });

  it('at the same time as others loses none of them', async () => {
    const fields = ['model', 'specModeModel', 'reasoningEffort', 'providerLock', 'apiProviderLock', 'autonomyLevel'];
    const values = Object.fromEntries(fields.map((field) => [field, WORDS[field]?.[0] ?? 'model-a']));
    await Promise.all(fields.map((field) => change({ [field]: values[field] })));
    expect(await settings()).toEqual({ ...values, autonomyMode: 'normal' });
  });

  it.each([
    ['without settings', {}, 'sessionSettings'],
    ['with settings that are null', { sessionSettings: null }, 'sessionSettings'],
    ['with a status', { sessionSettings: {}, status: 'idle' }, 'status'],
    ['with a title', { sessionSettings: {}, title: 'x' }, 'title'],
    ['with a computer', { sessionSettings: {}, computerId: 'x' }, 'computerId'],
  ])('%s is 400', async (_what, body, field) => {
    const answer = await app.as(ada).patch(path, body);
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
  });
});

describe('the autonomy mode', () => {
  it.each([
    [{ autonomyLevel: 'high' }, 'auto-high'],
    [{ autonomyLevel: 'off', interactionMode: 'auto' }, 'normal'],
    [{ interactionMode: 'spec', autonomyLevel: 'high' }, 'spec'],
    [{ interactionMode: 'auto' }, 'normal'],
    [{ model: 'a' }, undefined],
  ])('of %j is derived: %s', async (given, mode) => {
    expect((await change(given)).body.sessionSettings.autonomyMode).toBe(mode);
  });

  it.each([
    ['normal', { interactionMode: 'auto', autonomyLevel: 'off' }],
    ['auto-low', { interactionMode: 'auto', autonomyLevel: 'low' }],
    ['auto-medium', { interactionMode: 'auto', autonomyLevel: 'medium' }],
    ['auto-high', { interactionMode: 'auto', autonomyLevel: 'high' }],
    ['spec', { interactionMode: 'spec' }],
  ])('"%s" given alone sets the other two', async (autonomyMode, others) => {
    await change({ autonomyMode });
    expect(await settings()).toEqual({ autonomyMode, ...others });
  });

  it('follows when one of the two is cleared', async () => {
    await change({ autonomyMode: 'auto-high' });
    await change({ autonomyLevel: null });
    expect(await settings()).toEqual({ interactionMode: 'auto', autonomyMode: 'normal' });
  });

  it('is gone when both are cleared', async () => {
    await change({ autonomyMode: 'auto-high' });
    await change({ autonomyLevel: null, interactionMode: null });
    expect(await settings()).toEqual({});
  });

  it.each([
    { autonomyMode: 'normal', autonomyLevel: 'low' },
    { autonomyMode: 'auto-low', autonomyLevel: 'off' },
    { autonomyMode: 'auto-high', interactionMode: 'spec' },
    { autonomyMode: 'spec', interactionMode: 'auto' },
  ])('that contradicts the other two is 400: %j', async (given) => {
    const { status, body } = await change(given);
    expect([status, body.errors?.[0]?.field]).toEqual([400, 'sessionSettings.autonomyMode']);
    expect(await settings()).toEqual({});
  });

  async function sendsBack(interactionMode: string): Promise<void> {
    await change({ interactionMode, autonomyLevel: 'high' });
    const { status } = await change(await settings());
    expect(status).toBe(200);
  }

  it.each(['auto', 'spec', 'agi', 'mission'])('that was returned with "%s" can be sent back', sendsBack);
});

describe('what the organization has decided', () => {
  it('holds for new sessions and for changes', async () => {
    const strict = await app.given.organization();
    const eve = await app.given.user(strict, { role: Role.Member });
    const computer = await givenComputer(app, eve);
    await app.as(strict.owner).put('/api/v0/organization/enterprise-controls', {
      sessionDefaultSettings: { model: 'model-a', reasoningEffort: 'low' },
      maxAutonomyLevel: 'low',
      modelPolicy: { blockedModelIds: ['model-x'] },
    });
    const session = await app.as(eve).post(SESSIONS, {
      computerId: computer,
      sessionSettings: { autonomyMode: 'auto-high', reasoningEffort: null },
    });
    expect(session.body.sessionSettings).toMatchObject({ model: 'model-a', autonomyLevel: 'low' });
    expect(session.body.sessionSettings).not.toHaveProperty('reasoningEffort');
    const refused = await app.as(eve).patch(`${SESSIONS}/${session.body.sessionId}`, {
      sessionSettings: { specModeModel: 'model-x' },
    });
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('blockedModelIds')]);
  });
});
