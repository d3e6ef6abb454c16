import { isDeepStrictEqual } from 'node:util';
import { Role } from '../../src/common/access/role.enum.js';
import { ControlsRepository } from '../../src/modules/organization/controls/controls.repository.js';
import { ControlsService } from '../../src/modules/organization/controls/controls.service.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { TestApp } from '../support/test-app.js';
import { statusWithin } from '../support/within.js';

const controls = '/api/v0/organization/enterprise-controls';
const computers = '/api/v0/computers';
const sessions = '/api/v0/sessions';
const users = '/api/v0/organization/users';
const LEVELS = ['off', 'low', 'medium', 'high'] as const;
const OWN_MODEL = { id: 'custom:own', baseUrl: 'https://models.example.com/v1' };

let app: TestApp;
let org: GivenOrganization;
let member: GivenUser;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  org = await app.given.organization();
  member = await app.given.user(org);
  computerId = (await app.as(member).post(computers, { name: 'build-server' })).body.id;
});
afterAll(() => app.stop());

async function decide(settings: object): Promise<void> {
  const { status } = await app.as(org.owner).put(controls, settings);
  expect(status).toBe(200);
  await untilItHolds(app);
}

/** What was decided holds on each replica within a second. */
function untilItHolds(replica: TestApp): Promise<boolean> {
  return eventually('the newest revision holds', async () => {
    const newest = await replica.nest.get(ControlsRepository).findCurrent(org.id);
    return isDeepStrictEqual(await replica.nest.get(ControlsService).current(org.id), newest?.settings);
  });
}

const create = (sessionSettings?: object) => app.as(member).post(sessions, { computerId, sessionSettings });
const patch = (id: string, sessionSettings: object) => app.as(member).patch(`${sessions}/${id}`, { sessionSettings });

describe('maxAutonomyLevel', () => {
  const pairs = LEVELS.flatMap((max, most) =>
    LEVELS.map((asked, level): [string, string, string] => [max, asked, LEVELS[Math.min(most, level)] ?? '']),
  );

  it.each(pairs)('%s makes %s to %s in a new session', async (maxAutonomyLevel, autonomyLevel, expected) => {
    await decide({ maxAutonomyLevel });
    const { status, body } = await create({ autonomyLevel });
    expect([status, body.sessionSettings.autonomyLevel]).toEqual([201, expected]);
  });

  it('lowers the mode with the level', async () => {
    await decide({ maxAutonomyLevel: 'low' });
    const { body } = await create({ autonomyMode: 'auto-high' });
    expect(body.sessionSettings).toMatchObject({ autonomyLevel: 'low', autonomyMode: 'auto-low' });
  });

  it.each([{ autonomyLevel: 'high' }, { autonomyMode: 'auto-high' }])('lowers %j in a change', async (settings) => {
    const { body: session } = await create();
    await decide({ maxAutonomyLevel: 'medium' });
    const { body } = await patch(session.sessionId, settings);
    expect(body.sessionSettings).toMatchObject({ autonomyLevel: 'medium', autonomyMode: 'auto-medium' });
  });

  it('lowers the session defaults', async () => {
    await decide({ maxAutonomyLevel: 'off', sessionDefaultSettings: { autonomyLevel: 'high' } });
    expect((await create()).body.sessionSettings.autonomyLevel).toBe('off');
  });
});

describe('sessionDefaultSettings', () => {
  it('are what a session starts with', async () => {
    await decide({ sessionDefaultSettings: { model: 'model-a', reasoningEffort: 'low', autonomyLevel: 'low' } });
    expect((await create()).body.sessionSettings).toMatchObject({
      model: 'model-a',
      reasoningEffort: 'low',
      autonomyLevel: 'low',
    });
  });

  it('give way to what the session asks for, field by field', async () => {
    await decide({ sessionDefaultSettings: { model: 'model-a', reasoningEffort: 'low' } });
    const { body } = await create({ model: 'model-b' });
    expect(body.sessionSettings).toMatchObject({ model: 'model-b', reasoningEffort: 'low' });
  });

  it('do not change sessions that exist', async () => {
    const { body: session } = await create({ model: 'model-b' });
    await decide({ sessionDefaultSettings: { model: 'model-a' } });
    const { body } = await app.as(member).get(`${sessions}/${session.sessionId}`);
    expect(body.sessionSettings.model).toBe('model-b');
  });
});

describe('modelPolicy', () => {
  const FORBIDDEN: [rule: string, settings: object, model: string][] = [
    ['allowedModelIds', { modelPolicy: { allowedModelIds: ['model-a'] } }, 'model-b'],
    ['blockedModelIds', { modelPolicy: { blockedModelIds: ['model-b'] } }, 'model-b'],
    [
      'blockedModelIds',
      { modelPolicy: { blockedModelIds: ['model-b'], allowedModelIds: ['model-b'], allowAllFactoryModels: true } },
      'model-b',
    ],
    ['allowCustomModels', { modelPolicy: { allowCustomModels: false }, customModels: [OWN_MODEL] }, 'custom:own'],
    [
      'allowedBaseUrls',
      { modelPolicy: { allowedBaseUrls: ['https://other.example.com'] }, customModels: [OWN_MODEL] },
      'custom:own',
    ],
    ['allowedBaseUrls', { modelPolicy: { allowedBaseUrls: [OWN_MODEL.baseUrl] } }, 'custom:unknown'],
    [
      'allowedModelIds',
      { modelPolicy: { allowedModelIds: ['model-a'], allowAllFactoryModels: true }, customModels: [OWN_MODEL] },
      'custom:own',
    ],
    ['isFastModelsAllowed', { modelPolicy: { isFastModelsAllowed: false } }, 'model-b-fast'],
  ];
  const denied = (rule: string, model: string) => `The policy modelPolicy.${rule} does not allow the model "${model}".`;

  it.each(FORBIDDEN)('%s: %j forbids a session with %s', async (rule, settings, model) => {
    await decide(settings);
    const { status, body } = await create({ model });
    expect([status, body.detail]).toEqual([403, denied(rule, model)]);
  });

  it.each(FORBIDDEN)('%s: %j forbids a change to %s', async (rule, settings, model) => {
    const { body: session } = await create();
    await decide(settings);
    const { status, body } = await patch(session.sessionId, { model });
    expect([status, body.detail]).toEqual([403, denied(rule, model)]);
  });

  it('counts for the model of the specification mode as well', async () => {
    await decide({ modelPolicy: { blockedModelIds: ['model-b'] } });
    expect((await create({ specModeModel: 'model-b' })).status).toBe(403);
  });

  it.each([
    [{ modelPolicy: {} }, 'any'],
    [{ modelPolicy: { allowedModelIds: [] } }, 'any'],
    [{ modelPolicy: { allowedModelIds: ['model-a'] } }, 'model-a'],
    [{ modelPolicy: { allowedModelIds: ['model-a'], allowAllFactoryModels: true } }, 'model-b'],
    [{ modelPolicy: { allowedBaseUrls: [OWN_MODEL.baseUrl] }, customModels: [OWN_MODEL] }, 'custom:own'],
    [{ modelPolicy: { isFastModelsAllowed: true } }, 'model-b-fast'],
    [{ modelPolicy: { allowCustomModels: false } }, 'model-b'],
  ])('%j allows %s', async (settings, model) => {
    await decide(settings);
    expect((await create({ model })).status).toBe(201);
  });
});

describe('userModelPolicies', () => {
  it.each([
    ['allowedModelIds', { allowedModelIds: ['model-a'] }],
    ['blockedModelIds', { blockedModelIds: ['model-b'] }],
  ])('%s forbids a model to the user', async (rule, lists) => {
    await decide({ userModelPolicies: { [member.id]: lists } });
    const { status, body } = await create({ model: 'model-b' });
    expect([status, body.detail]).toEqual([
      403,
      `The policy userModelPolicies.${rule} does not allow the model "model-b".`,
    ]);
  });

  it('of a user whose id is in capitals count', async () => {
    await decide({ userModelPolicies: { [member.id.toUpperCase()]: { blockedModelIds: ['model-b'] } } });
    expect((await create({ model: 'model-b' })).status).toBe(403);
  });

  it('of another user do not count', async () => {
    await decide({ userModelPolicies: { [org.owner.id]: { blockedModelIds: ['model-b'] } } });
    expect((await create({ model: 'model-b' })).status).toBe(201);
  });
});

describe('restrictMemberVisibility', () => {
  const listed = async (user: GivenUser) =>
    (await app.as(user).get(users)).body.users.map((entry: { id: string }) => entry.id) as string[];

  it('shows members only themselves in the list', async () => {
    await decide({ restrictMemberVisibility: true });
    expect(await listed(member)).toEqual([member.id]);
  });

  it('hides others from members one by one, like users that do not exist', async () => {
    await decide({ restrictMemberVisibility: true });
    const others = await app.as(member).get(`${users}/${org.owner.id}`);
    expect([others.status, (await app.as(member).get(`${users}/${member.id}`)).status]).toEqual([404, 200]);
  });

  it.each([Role.Owner, Role.Manager])('hides nothing from the role %s', async (role) => {
    const user = await app.given.user(org, { role });
    await decide({ restrictMemberVisibility: true });
    expect(await listed(user)).toHaveLength(3);
  });

  it.each([{ restrictMemberVisibility: false }, {}])('%j hides nothing', async (settings) => {
    await decide(settings);
    expect(await listed(member)).toEqual([org.owner.id, member.id]);
  });
});

describe('byomComputersEnabled', () => {
  it('false is 403 for a new computer, naming the policy', async () => {
    await decide({ byomComputersEnabled: false });
    const { status, body } = await app.as(org.owner).post(computers, { name: 'another' });
    expect([status, body.detail]).toEqual([403, expect.stringContaining('byomComputersEnabled')]);
  });

  it.each([{ byomComputersEnabled: true }, {}])('%j lets new computers in', async (settings) => {
    await decide(settings);
    expect((await app.as(member).post(computers, { name: 'another' })).status).toBe(201);
  });
});

describe('a change', () => {
  it('holds on another replica within a second', async () => {
    const second = await TestApp.start({ database: app.database });
    const add = (i: number) => second.as(org.owner).post(computers, { name: `computer-${i}` });
    const before = await add(0);
    await decide({ byomComputersEnabled: false });
    let i = 1;
    const status = await statusWithin(1_000, 403, () => add(i++));
    await second.stop();
    expect([before.status, status]).toEqual([201, 403]);
  });
});
