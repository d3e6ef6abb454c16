import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';

const controls = '/api/v0/organization/enterprise-controls';
const history = `${controls}/history`;
const clock = new ManualClock('2026-11-15T08:30:00.000Z');

/** Every field there is, none of them secret. */
const EVERYTHING = {
  sessionDefaultSettings: {
    model: 'model-a',
    reasoningEffort: 'dynamic',
    interactionMode: 'auto',
    autonomyLevel: 'low',
    autonomyMode: 'auto-low',
    specModeModel: 'model-b',
    specModeReasoningEffort: 'xhigh',
  },
  maxAutonomyLevel: 'medium',
  mcpAutonomyOverrides: { github: { defaultLevel: 'low', tools: { create_issue: 'high' } }, linear: {} },
  cloudSessionSync: true,
  wikiCloudSync: false,
  includeCoAuthoredByAgent: true,
  enableAgentShield: false,
  ideAutoConnect: true,
  commandAllowlist: ['npm test', 'git status'],
  commandDenylist: ['rm -rf /'],
  customModels: [
    {
      model: 'llama-4-70b',
      baseUrl: 'https://models.example.com/v1',
      apiKey: '${MODEL_KEY}',
      provider: 'generic-chat-completion-api',
      id: 'custom:llama-4',
      displayName: 'Llama 4 (own)',
      index: 0,
      maxContextLimit: 200_000,
      thinkingMaxTokens: 0,
      maxOutputTokens: 8192,
      enableThinking: true,
      noImageSupport: false,
      reasoningEffort: 'off',
      extraHeaders: { 'X-Team': '${TEAM}' },
      extraArgs: { top_k: 40, nested: { list: [1, 'two', null, false] } },
    },
    {},
  ],
  modelPolicy: {
    allowedModelIds: ['model-a', 'model-b'],
    blockedModelIds: ['model-c'],
    allowedBaseUrls: ['https://models.example.com/v1'],
    allowCustomModels: true,
    allowAllFactoryModels: false,
    isFastModelsAllowed: true,
  },
  mcpPolicy: { enabled: true, allowlist: ['github'] },
  missionPolicy: { restrictedAccess: true, allowedUserIds: ['01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'] },
  userModelPolicies: { '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e': { allowedModelIds: ['model-a'], blockedModelIds: [] } },
  enabledPlugins: { 'lint@plugins': true, 'deploy@plugins': false },
  extraKnownMarketplaces: {
    plugins: { source: { source: 'github', repo: 'example/plugins', ref: 'main' } },
    files: { source: { source: 'local', path: '/plugins' } },
  },
  strictKnownMarketplaces: [
    { source: 'github', repo: 'example/plugins', sha: '0123456789abcdef0123456789abcdef01234567' },
    { source: 'url', url: 'https://git.example.com/plugins.git', ref: 'main' },
    { source: 'local', path: '/plugins' },
    { source: 'git-subdir', url: 'https://git.example.com/all.git', path: 'plugins' },
  ],
  networkPolicy: { allowedIps: ['127.0.0.1', '203.0.113.0/24', '2001:db8::/32'] },
  sandbox: {
    enabled: true,
    mode: 'whole-process',
    filesystem: { allowWrite: ['/workspace'], allowRead: ['/usr'], denyWrite: ['/etc'], denyRead: ['~/.ssh'] },
    network: {
      allowedDomains: ['registry.npmjs.org'],
      allowUnixSockets: ['/run/docker.sock'],
      allowAllUnixSockets: false,
      allowLocalBinding: true,
      httpProxyPort: 1,
      socksProxyPort: 65_535,
    },
  },
  restrictMemberVisibility: false,
  managedComputersEnabled: true,
  byomComputersEnabled: true,
  sessionRetentionDays: 90,
};

let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  org = await app.given.organization();
});
afterAll(() => app.stop());

const read = async (by: GivenUser = org.owner) => (await app.as(by).get(controls)).body;
const put = (settings: object, headers?: Record<string, string>, by: GivenUser = org.owner) =>
  app.as(by).put(controls, settings, headers);
const putRetention = (days: number, headers?: Record<string, string>) => put({ sessionRetentionDays: days }, headers);
const tenAtOnce = (headers?: Record<string, string>) =>
  Promise.all(Array.from({ length: 10 }, (_, i) => putRetention(20 + i, headers)));

describe('the controls', () => {
  it('are empty and of revision 0 before anything was set', async () => {
    const { status, body, headers } = await app.as(org.owner).get(controls);
    expect([status, body, headers.etag]).toEqual([200, { revision: 0, settings: {} }, '"0"']);
  });

  it('are answered with every field as it was set', async () => {
    const { status, body } = await put(EVERYTHING);
    expect([status, body.settings]).toEqual([200, EVERYTHING]);
  });

  it('are kept with every field as it was set', async () => {
    await put(EVERYTHING);
    expect((await read()).settings).toEqual(EVERYTHING);
  });

  it('tell who set them, and when', async () => {
    const { body: ada } = await app
      .as(org.owner)
      .post('/api/v0/organization/users', { email: 'ada@example.com', role: 'owner', firstName: 'Ada', lastName: 'L' });
    const { body: issued } = await app.as(org.owner).post('/api/v0/api-keys', { name: 'ada', userId: ada.id });
    await app.withBearer(issued.key).put(controls, {});
    const user = { id: ada.id, email: 'ada@example.com', name: 'Ada L' };
    expect(await read()).toEqual({ revision: 1, settings: {}, user, updatedAt: clock.now().toISOString() });
  });

  it('have the next revision after each change', async () => {
    const answers = [await put({}), await put({}), await put({})];
    expect(answers.map(({ body, headers }) => [body.revision, headers.etag])).toEqual([
      [1, '"1"'],
      [2, '"2"'],
      [3, '"3"'],
    ]);
  });

  it('are replaced as a whole: what is left out is gone', async () => {
    await put(EVERYTHING);
    await put({ maxAutonomyLevel: 'low' });
    expect((await read()).settings).toEqual({ maxAutonomyLevel: 'low' });
  });

  it('derive level and interaction mode of the session defaults from a mode given alone', async () => {
    const { body } = await put({ sessionDefaultSettings: { autonomyMode: 'auto-high' } });
    const derived = { autonomyMode: 'auto-high', interactionMode: 'auto', autonomyLevel: 'high' };
    expect(body.settings.sessionDefaultSettings).toEqual(derived);
  });

  it('of one organization are not those of another', async () => {
    await put(EVERYTHING);
    const other = await app.given.organization();
    expect(await read(other.owner)).toEqual({ revision: 0, settings: {} });
  });
});

describe('roles', () => {
  it('a manager may read the controls and their history', async () => {
    const manager = await app.given.user(org, { role: Role.Manager });
    const answers = [await app.as(manager).get(controls), await app.as(manager).get(history)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it.each([Role.Manager, Role.Member, Role.Guest])('a %s may not change the controls', async (role) => {
    const user = await app.given.user(org, { role });
    const { status } = await put({ sessionRetentionDays: 20 }, {}, user);
    expect([status, (await read()).revision]).toEqual([403, 0]);
  });

  it.each([controls, history])('a member may not read %s', async (path) => {
    const member = await app.given.user(org);
    expect((await app.as(member).get(path)).status).toBe(403);
  });
});

describe('If-Match', () => {
  it.each(['"1"', '1', 'W/"1"', '*'])('%s lets a change of revision 1 pass', async (header) => {
    await put({});
    const { status, body } = await put({}, { 'If-Match': header });
    expect([status, body.revision]).toEqual([200, 2]);
  });

  it('"0" lets the first change pass', async () => {
    expect((await put({}, { 'If-Match': '"0"' })).status).toBe(200);
  });

  it.each(['"0"', '"2"', '"999999999"'])('%s is 412 at revision 1 and changes nothing', async (header) => {
    await putRetention(20);
    const { status, body } = await putRetention(30, { 'If-Match': header });
    expect([status, body.detail]).toEqual([412, 'The controls have changed; the current revision is 1.']);
    expect(await read()).toMatchObject({ revision: 1, settings: { sessionRetentionDays: 20 } });
  });

  it.each(['x', '""', '"1', '-1', '"1.0"', '"1", "2"', '1e0', '"12345678901"', 'W/'])(
    '%s is 400 and changes nothing',
    async (header) => {
      const { status, body } = await put({}, { 'If-Match': header });
      expect([status, body.errors[0].field, (await read()).revision]).toEqual([400, 'If-Match', 0]);
    },
  );
});

describe('ten changes at once', () => {
  it('without If-Match make ten revisions without a gap', async () => {
    const answers = await tenAtOnce();
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
    const revisions = answers.map(({ body }) => body.revision as number).sort((a, b) => a - b);
    expect(revisions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('without If-Match are all in the history, the newest in force', async () => {
    await tenAtOnce();
    const { body } = await app.as(org.owner).get(history);
    expect(body.changes.map((change: { revision: number }) => change.revision)).toEqual([
      10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
    ]);
    expect(await read()).toEqual(body.changes[0]);
  });

  it('with If-Match let exactly one pass', async () => {
    const answers = await tenAtOnce({ 'If-Match': '"0"' });
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
    expect((await read()).revision).toBe(1);
  });
});

describe('the history', () => {
  it('is empty before anything was set', async () => {
    const { body } = await app.as(org.owner).get(history);
    expect(body).toEqual({ changes: [], pagination: { hasMore: false } });
  });

  it('has each revision with its settings, author and time, newest first', async () => {
    const first = await putRetention(20);
    clock.advance(1_000);
    const second = await putRetention(30);
    const { body } = await app.as(org.owner).get(history);
    expect(body.changes).toEqual([second.body, first.body]);
  });

  it('is paged to its end without a gap, while revisions are added', async () => {
    for (let i = 0; i < 5; i++) await put({});
    const seen: number[] = [];
    for (let query = '?limit=2'; query !== ''; await put({})) {
      const { body } = await app.as(org.owner).get(history + query);
      seen.push(...body.changes.map((change: { revision: number }) => change.revision));
      query = body.pagination.hasMore ? `?limit=2&cursor=${body.pagination.nextCursor}` : '';
    }
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });

  it('of another organization is not shown', async () => {
    await put(EVERYTHING);
    const other = await app.given.organization();
    const { body } = await app.as(other.owner).get(history);
    expect(body.changes).toEqual([]);
  });
});
