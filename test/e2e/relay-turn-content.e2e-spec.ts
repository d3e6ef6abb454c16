import { isDeepStrictEqual } from 'node:util';
import { MAX_FRAME_BYTES_TO_AGENT } from '../../src/protocol/relay-protocol.js';
import { ControlsRepository } from '../../src/modules/organization/controls/controls.repository.js';
import { ControlsService } from '../../src/modules/organization/controls/controls.service.js';
import { contentLike } from '../support/attachments.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import {
  givenAccess,
  givenComputer,
  givenMessage,
  type GivenSession,
  SESSIONS,
  storedSession,
} from '../support/given-session.js';
import { RelayAgent } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';

const CONTROLS = '/api/v0/organization/enterprise-controls';
const SECRET = 'sk-canary-0123456789-wxyz';

let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let computerId: string;
let agent: RelayAgent;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  computerId = await givenComputer(app, ada);
  await givenAccess(app, org.owner, computerId, { trusted: true });
  agent = await RelayAgent.connect(app.url, ada.key, computerId);
});
afterEach(() => agent.end());
afterAll(() => app.stop());

async function sessionWith(sessionSettings: object): Promise<GivenSession> {
  const { body } = await app.as(ada).post(SESSIONS, { computerId, sessionSettings });
  return { orgId: org.id, user: ada, id: body.sessionId, computerId, path: `${SESSIONS}/${body.sessionId}` };
}

/** What was decided holds within a second. */
async function decide(settings: object): Promise<void> {
  const { status } = await app.as(org.owner).put(CONTROLS, settings);
  expect(status).toBe(200);
  await eventually('the newest revision holds', async () => {
    const newest = await app.nest.get(ControlsRepository).findCurrent(org.id);
    return isDeepStrictEqual(await app.nest.get(ControlsService).current(org.id), newest?.settings);
  });
}

describe('a turn carries', () => {
  it('the message with its attachments', async () => {
    const session = await sessionWith({});
    const image = { type: 'base64', mediaType: 'image/png', data: contentLike('image/png') };
    const file = { type: 'base64', mediaType: 'text/plain', data: 'aGk=', name: 'a.txt' };
    await app.as(ada).post(`${session.path}/messages`, { text: 'Look', images: [image], files: [file] });
    expect((await agent.turn()).content).toMatchObject([
      { type: 'text', text: 'Look' },
      { type: 'image', source: image },
      { type: 'document', source: file },
    ]);
  });

  it('as much as a message can hold', async () => {
    const session = await sessionWith({});
    const data = contentLike('application/pdf', { bytes: 10 * 1024 * 1024 });
    const file = { type: 'base64', mediaType: 'application/pdf', data };
    const { status } = await app.as(ada).post(`${session.path}/messages`, { text: 'Look', files: [file, file] });
    expect(status).toBe(200);
    const { content } = await agent.turn();
    expect(content).toHaveLength(3);
    expect(JSON.stringify(content).length).toBeLessThan(MAX_FRAME_BYTES_TO_AGENT);
  });

  it('the settings of the session', async () => {
    const settings = { model: 'model-a', reasoningEffort: 'high', interactionMode: 'auto', autonomyLevel: 'medium' };
    await givenMessage(app, await sessionWith(settings), 'Hello');
    expect((await agent.turn()).settings).toMatchObject(settings);
  });

  it('the settings as they were changed since', async () => {
    const session = await sessionWith({ model: 'model-a' });
    await app.as(ada).patch(session.path, { sessionSettings: { model: 'model-b' } });
    await givenMessage(app, session, 'Hello');
    expect((await agent.turn()).settings).toMatchObject({ model: 'model-b' });
  });

  it('no more autonomy than the organization allows by now', async () => {
    const session = await sessionWith({ autonomyLevel: 'high', interactionMode: 'auto' });
    await decide({ maxAutonomyLevel: 'low' });
    await givenMessage(app, session, 'Hello');
    expect((await agent.turn()).settings).toMatchObject({ autonomyLevel: 'low', autonomyMode: 'auto-low' });
  });

  it('what the organization decided about agents', async () => {
    const controls = {
      commandAllowlist: ['ls'],
      commandDenylist: ['rm -rf'],
      mcpAutonomyOverrides: { github: { defaultLevel: 'low' } },
      mcpPolicy: { enabled: true, allowlist: ['github'] },
      sandbox: { enabled: true },
      includeCoAuthoredByAgent: false,
    };
    await decide(controls);
    await givenMessage(app, await sessionWith({}), 'Hello');
    expect((await agent.turn()).controls).toEqual(controls);
  });

  it('nothing of what the service enforces itself', async () => {
    await decide({
      sessionDefaultSettings: { autonomyLevel: 'low' },
      maxAutonomyLevel: 'high',
      modelPolicy: { blockedModelIds: ['model-x'] },
      userModelPolicies: { [ada.id]: { blockedModelIds: ['model-y'] } },
      networkPolicy: { allowedIps: ['127.0.0.0/8'] },
      restrictMemberVisibility: true,
      byomComputersEnabled: true,
      managedComputersEnabled: false,
      sessionRetentionDays: 30,
    });
    await givenMessage(app, await sessionWith({ model: 'model-a' }), 'Hello');
    expect((await agent.turn()).controls).toEqual({});
  });

  it('of the custom models the one that is used, with its key, and no other', async () => {
    const used = { id: 'custom:used', model: 'm', baseUrl: 'https://models.example.com/v1', apiKey: SECRET };
    await decide({ customModels: [used, { ...used, id: 'custom:other', apiKey: 'another-secret-0123456789' }] });
    await givenMessage(app, await sessionWith({ model: 'custom:used' }), 'Hello');
    expect((await agent.turn()).controls).toEqual({ customModels: [used] });
  });

  it('the custom model of the specification mode too', async () => {
    const models = ['custom:a', 'custom:b', 'custom:c'].map((id) => ({ id, apiKey: `${SECRET}-${id}` }));
    await decide({ customModels: models });
    await givenMessage(app, await sessionWith({ model: 'custom:b', specModeModel: 'custom:c' }), 'Hello');
    expect((await agent.turn()).controls).toEqual({ customModels: models.slice(1) });
  });

  it('no key of a custom model to a session that uses none', async () => {
    await decide({ customModels: [{ model: 'without-id', apiKey: SECRET }] });
    await givenMessage(app, await sessionWith({ model: 'model-a' }), 'Hello');
    expect(JSON.stringify(await agent.turn())).not.toContain(SECRET);
  });
});

describe('a turn of a session that names no model, where models are restricted,', () => {
  const RESTRICTIONS: [string, () => object][] = [
    ['modelPolicy.allowedModelIds', () => ({ modelPolicy: { allowedModelIds: ['model-a'] } })],
    ['modelPolicy.blockedModelIds', () => ({ modelPolicy: { blockedModelIds: ['model-b'] } })],
    ['modelPolicy.isFastModelsAllowed', () => ({ modelPolicy: { isFastModelsAllowed: false } })],
    [
      'userModelPolicies.allowedModelIds',
      () => ({ userModelPolicies: { [ada.id]: { allowedModelIds: ['model-a'] } } }),
    ],
  ];

  it.each(RESTRICTIONS)('works with the default of the organization: %s', async (_policy, controls) => {
    const session = await sessionWith({});
    await decide({ ...controls(), sessionDefaultSettings: { model: 'model-a' } });
    await givenMessage(app, session, 'Hello');
    expect((await agent.turn()).settings).toMatchObject({ model: 'model-a' });
    expect((await app.as(ada).get(session.path)).body.sessionSettings).not.toHaveProperty('model');
  });

  it.each(RESTRICTIONS)('ends with an error without a default: %s', async (policy, controls) => {
    await decide(controls());
    const session = await sessionWith({});
    await givenMessage(app, session, 'Hello');
    await eventually('the turn ends', async () => (await app.as(ada).get(session.path)).body.status === 'idle');
    const { body } = await app.as(ada).get(`${session.path}/messages?limit=1`);
    expect(body.messages[0]).toMatchObject({ role: 'assistant', isError: true });
    expect(body.messages[0].content[0].text).toBe(
      `The policy ${policy} restricts models, and this session names none: set its "model".`,
    );
    expect(agent.turns).toEqual([]);
  });

  it.each([
    ['only custom models are', () => ({ modelPolicy: { allowCustomModels: false } })],
    [
      'all models but custom ones are allowed',
      () => ({ modelPolicy: { allowedModelIds: ['custom:a'], allowAllFactoryModels: true } }),
    ],
    ['those of somebody else are', () => ({ userModelPolicies: { [org.owner.id]: { blockedModelIds: ['x'] } } })],
  ])('leaves the choice to the agent when %s', async (_what, controls) => {
    await decide(controls());
    await givenMessage(app, await sessionWith({}), 'Hello');
    expect((await agent.turn()).settings).not.toHaveProperty('model');
  });
});

describe('a turn whose model was forbidden meanwhile', () => {
  it.each([
    ['modelPolicy.blockedModelIds', () => ({ modelPolicy: { blockedModelIds: ['model-a'] } })],
    [
      'userModelPolicies.allowedModelIds',
      () => ({ userModelPolicies: { [ada.id]: { allowedModelIds: ['model-b'] } } }),
    ],
  ])('ends with an error that names %s', async (policy, controls) => {
    const session = await sessionWith({ model: 'model-a' });
    await decide(controls());
    await givenMessage(app, session, 'Hello');
    await eventually('the turn ends', async () => (await app.as(ada).get(session.path)).body.status === 'idle');
    const { body } = await app.as(ada).get(`${session.path}/messages?limit=1`);
    const [{ role, isError, content }] = body.messages;
    expect([role, isError]).toEqual(['assistant', true]);
    expect(content[0].text).toContain(policy);
    expect(content[0].text).toContain('model-a');
    expect((await storedSession(app, session)).turns).toEqual(['ended error']);
    expect(agent.turns).toEqual([]);
  });

  it('does not keep the turns behind it from the agent', async () => {
    const forbidden = await sessionWith({ model: 'model-a' });
    const allowed = await sessionWith({ model: 'model-b' });
    await decide({ modelPolicy: { blockedModelIds: ['model-a'] } });
    await givenMessage(app, forbidden, 'a');
    await givenMessage(app, allowed, 'b');
    expect((await agent.turn()).sessionId).toBe(allowed.id);
  });

  it('ends each of the messages that wait in its session', async () => {
    await agent.end();
    const session = await sessionWith({ model: 'model-a' });
    await givenMessage(app, session, 'a');
    await givenMessage(app, session, 'b');
    await decide({ modelPolicy: { blockedModelIds: ['model-a'] } });
    agent = await RelayAgent.connect(app.url, ada.key, computerId);
    await eventually('both end', async () => (await app.as(ada).get(session.path)).body.status === 'idle');
    expect(await storedSession(app, session)).toMatchObject({ messages: 4, turns: ['ended error', 'ended error'] });
  });
});
