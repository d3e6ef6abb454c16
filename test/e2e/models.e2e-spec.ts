import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Role } from '../../src/common/access/role.enum.js';
import type { ApiClient } from '../support/api-client.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenComputer } from '../support/given-session.js';
import { TestApp } from '../support/test-app.js';

const MODELS = '/api/v0/models';
const CONTROLS = '/api/v0/organization/enterprise-controls';

let app: TestApp;
let org: GivenOrganization;
let owner: ApiClient;
let ada: GivenUser;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  org = await app.given.organization();
  owner = app.as(org.owner);
  ada = await app.given.user(org);
});
afterAll(() => app.stop());

const models = async (user = ada) => (await app.as(user).get(MODELS)).body;
const idsOf = ({ models: list }: { models: { id: string }[] }) => list.map(({ id }) => id);

async function use(...names: string[]): Promise<void> {
  const at = new Date().toISOString();
  const events = names.map((model) => ({
    ...{ id: randomUUID(), type: 'model_call', at, modelId: model },
    ...{ inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  }));
  const { status, body } = await app.as(ada).post('/api/v1/ingest/events', { events });
  expect([status, body.rejected]).toEqual([200, []]);
}

describe('the models that a user may choose', () => {
  it('are none as long as none are known, and then any may be named', async () => {
    expect(await models()).toEqual({ models: [], complete: false, maxAutonomyLevel: 'high' });
  });

  it('are those that the organization has used', async () => {
    await use('model-b', 'model-a');
    expect(await models()).toEqual({
      models: [
        { id: 'model-a', custom: false, used: true },
        { id: 'model-b', custom: false, used: true },
      ],
      complete: false,
      maxAutonomyLevel: 'high',
    });
  });

  it('are those that the controls name, with the default and the names of own models', async () => {
    const customModels = [{ id: 'custom:llama', displayName: 'Llama (own)', model: 'llama', apiKey: 'secret-value' }];
    await owner.put(CONTROLS, { sessionDefaultSettings: { model: 'model-a' }, customModels });
    const answer = await app.as(ada).get(MODELS);
    expect(answer.body).toEqual({
      models: [
        { id: 'custom:llama', displayName: 'Llama (own)', custom: true, used: false },
        { id: 'model-a', custom: false, used: false },
      ],
      defaultModel: 'model-a',
      complete: false,
      maxAutonomyLevel: 'high',
    });
    expect(answer.text).not.toContain('secret');
  });

  it('come with the highest autonomy level that the controls allow', async () => {
    await owner.put(CONTROLS, { maxAutonomyLevel: 'low' });
    expect(await models()).toMatchObject({ maxAutonomyLevel: 'low' });
  });

  it('are without what a policy forbids, and complete where it allows a list', async () => {
    await use('model-a', 'model-b', 'model-c');
    await owner.put(CONTROLS, {
      sessionDefaultSettings: { model: 'model-a' },
      modelPolicy: { allowedModelIds: ['model-a', 'model-b', 'model-d'] },
      userModelPolicies: { [ada.id]: { blockedModelIds: ['model-a'] } },
    });
    expect(await models(org.owner)).toMatchObject({ defaultModel: 'model-a', complete: true });
    expect(idsOf(await models(org.owner))).toEqual(['model-a', 'model-b', 'model-d']);
    const own = await models();
    expect([idsOf(own), own.complete, 'defaultModel' in own]).toEqual([['model-b', 'model-d'], true, false]);
  });

  it('can all be set for a session, and another one cannot where the list is complete', async () => {
    await use('model-a', 'model-fast');
    await owner.put(CONTROLS, {
      modelPolicy: { allowedModelIds: ['model-a', 'model-b', 'model-fast'], isFastModelsAllowed: false },
    });
    const computerId = await givenComputer(app, ada);
    const open = (model: string) => app.as(ada).post('/api/v0/sessions', { computerId, sessionSettings: { model } });
    for (const id of idsOf(await models())) expect((await open(id)).status).toBe(201);
    expect((await open('model-z')).status).toBe(403);
    expect(idsOf(await models())).toEqual(['model-a', 'model-b']);
  });

  it('are not those of another organization', async () => {
    await use('model-secret');
    const other = await app.given.organization();
    expect(idsOf(await models(other.owner))).toEqual([]);
  });

  it('take no parameters', async () => {
    expect((await app.as(ada).get(`${MODELS}?used=true`)).status).toBe(400);
  });
});

describe('the version', () => {
  it('is that of the package, for everybody who is signed in', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const guest = await app.given.user(org, { role: Role.Guest });
    expect((await app.as(guest).get('/api/v0/version')).body).toEqual({ version });
    expect((await app.withBearer(null).get('/api/v0/version')).status).toBe(401);
  });
});
