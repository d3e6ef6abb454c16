import type { GivenOrganization } from '../support/given.js';
import { query } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

const controls = '/api/v0/organization/enterprise-controls';
const USER_ID = '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e';
const FLAGS = [
  ...['cloudSessionSync', 'wikiCloudSync', 'includeCoAuthoredByAgent', 'enableAgentShield', 'ideAutoConnect'],
  ...['restrictMemberVisibility', 'managedComputersEnabled', 'byomComputersEnabled'],
];

let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start();
  org = await app.given.organization();
});
afterAll(() => app.stop());

const put = (settings: unknown) => app.as(org.owner).put(controls, JSON.stringify(settings));

async function stored(): Promise<number> {
  const [row] = await query<{ rows: number }>(
    app.database.url,
    `SELECT (SELECT count(*) FROM enterprise_controls c WHERE c.org_id = $1)::int
          + (SELECT count(*) FROM audit_log a WHERE a.org_id = $1 AND a.action LIKE 'enterprise_controls%')::int AS rows`,
    [org.id],
  );
  return row?.rows ?? -1;
}

/** Wraps a value into the field of this path: `a.b` becomes `{a: {b: value}}`, `a.0.b` becomes `{a: [{b: value}]}`. */
function at(path: string, value: unknown): unknown {
  return path.split('.').reduceRight((inner, name) => (name === '0' ? [inner] : { [name]: inner }), value);
}

const text = (length: number) => 'x'.repeat(length);
const list = (length: number) => Array<string>(length).fill('x');
const TEXT_LISTS = [
  ...['commandAllowlist', 'commandDenylist', 'modelPolicy.allowedModelIds', 'modelPolicy.blockedModelIds'],
  ...['modelPolicy.allowedBaseUrls', 'mcpPolicy.allowlist', 'missionPolicy.allowedUserIds'],
  ...['allowWrite', 'allowRead', 'denyWrite', 'denyRead'].map((name) => `sandbox.filesystem.${name}`),
  ...['sandbox.network.allowedDomains', 'sandbox.network.allowUnixSockets'],
];
const NESTED_FLAGS = [
  ...['customModels.0.enableThinking', 'customModels.0.noImageSupport', 'modelPolicy.allowCustomModels'],
  ...['modelPolicy.allowAllFactoryModels', 'modelPolicy.isFastModelsAllowed', 'mcpPolicy.enabled'],
  ...['missionPolicy.restrictedAccess', 'sandbox.enabled', 'sandbox.network.allowAllUnixSockets'],
  'sandbox.network.allowLocalBinding',
];
const OBJECTS = [
  ...['sessionDefaultSettings', 'modelPolicy', 'mcpPolicy', 'missionPolicy', 'networkPolicy', 'sandbox'],
  ...['sandbox.filesystem', 'sandbox.network', 'customModels.0', 'strictKnownMarketplaces.0'],
];
const MAPS = [
  ...['mcpAutonomyOverrides', 'userModelPolicies', 'enabledPlugins', 'extraKnownMarketplaces'],
  ...['customModels.0.extraHeaders', 'customModels.0.extraArgs'],
];

const WRONG: [path: string, values: unknown[]][] = [
  ...[...FLAGS, ...NESTED_FLAGS].map((path): [string, unknown[]] => [path, ['true', 1, null, [], {}]]),
  ...TEXT_LISTS.map((path): [string, unknown[]] => [path, ['x', [1], [''], [null], [['x']], null, {}, list(1001)]]),
  ...OBJECTS.slice(0, 8).map((path): [string, unknown[]] => [path, [null, 'x', 1, true, []]]),
  ...MAPS.map((path): [string, unknown[]] => [path, [null, 'x', 1, true, []]]),
  ['sessionDefaultSettings.model', ['', text(201), 5]],
  ['sessionDefaultSettings.specModeModel', ['', text(201), {}]],
  ['sessionDefaultSettings.reasoningEffort', ['ultra', 'None', 1]],
  ['sessionDefaultSettings.specModeReasoningEffort', ['ultra', '', []]],
  ['sessionDefaultSettings.interactionMode', ['manual', 'AUTO', true]],
  ['sessionDefaultSettings.autonomyLevel', ['max', 'auto-high', 0]],
  ['sessionDefaultSettings.autonomyMode', ['auto', 'off', 0]],
  ['maxAutonomyLevel', ['max', 'High', '', null, 1, ['low']]],
  ['customModels', [null, {}, 'x', [1], [null], [[]], Array(201).fill({})]],
  ['customModels.0.model', ['', text(201), 1]],
  ['customModels.0.baseUrl', ['', 'x', 'ftp://example.com', 'file:///etc/passwd', 'javascript:alert(1)', 'http://', 1]],
  ['customModels.0.apiKey', ['', text(2001), 1, null]],
  ['customModels.0.provider', ['other', 'OpenAI', 1]],
  ['customModels.0.id', ['llama', 'custom:', 'Custom:x', 1]],
  ['customModels.0.displayName', ['', text(201), 1]],
  ['customModels.0.index', [-1, 1.5, '0', 10_001]],
  ['customModels.0.maxContextLimit', [0, -1, 1.5, '1', true]],
  ['customModels.0.thinkingMaxTokens', [-1, 1.5, '1']],
  ['customModels.0.maxOutputTokens', [0, -1, 1.5, '1']],
  ['customModels.0.reasoningEffort', ['ultra', 1]],
  ['customModels.0.extraHeaders', [{ a: 1 }, { a: null }, { a: ['x'] }, { a: text(2001) }]],
  ['mcpAutonomyOverrides', [{ a: 1 }, { a: null }, { a: 'low' }, { a: { level: 'low' } }, { a: { tools: [] } }]],
  [
    'mcpAutonomyOverrides',
    [{ a: { defaultLevel: 'off' } }, { a: { tools: { b: 'off' } } }, { a: { tools: { b: 1 } } }],
  ],
  ['userModelPolicies', [{ ada: {} }, { [USER_ID]: null }, { [USER_ID]: [] }, { [USER_ID]: { models: [] } }]],
  ['userModelPolicies', [{ [USER_ID]: { allowedModelIds: 'x' } }, { [USER_ID]: { blockedModelIds: [1] } }]],
  ['enabledPlugins', [{ a: 1 }, { a: 'true' }, { a: null }, { a: {} }]],
  ['extraKnownMarketplaces', [{ a: null }, { a: { source: 'github' } }, { a: { source: { source: 'github' } } }]],
  ['extraKnownMarketplaces', [{ a: { source: { source: 'svn', url: 'x' } } }, { a: { source: 'x', more: 1 } }]],
  ['extraKnownMarketplaces', [{ a: { source: { source: 'git-subdir', url: 'https://x.example' } } }]],
  ['strictKnownMarketplaces', [null, {}, 'github', ['github'], Array(201).fill({ source: 'local', path: 'x' })]],
  ['strictKnownMarketplaces.0.source', ['svn', 'GitHub', 1, undefined]],
  ['networkPolicy.allowedIps', [[], null, '127.0.0.1', [1], ['127.0.0.1/33'], ['::1/129'], ['127.0.0.1/'], ['10.0.0']]],
  [
    'networkPolicy.allowedIps',
    [['127.0.0.1/-1'], ['127.0.0.1/08'], ['127.0.0.1/8/8'], ['localhost'], [' 127.0.0.1'], ['']],
  ],
  [
    'networkPolicy.allowedIps',
    [['fe80::1%eth0'], ['256.0.0.1'], ['127.1'], ['0x7f.0.0.1'], Array(1001).fill('127.0.0.1')],
  ],
  ['sandbox.mode', ['per-process', 'Per-Command', 1, null]],
  ['sandbox.network.httpProxyPort', [0, 65_536, 1.5, '80']],
  ['sandbox.network.socksProxyPort', [0, 65_536, -1, null]],
  ['sessionRetentionDays', [13, 366, 0, -14, 14.5, '14', true, null, 2 ** 31]],
];
const wrong = WRONG.flatMap(([path, values]) =>
  values.map((value): [string, string, unknown] => [path, JSON.stringify({ value }).slice(9, 60), value]),
);

describe('controls are refused with 400, naming the field,', () => {
  it.each(wrong)('with %s: %s', async (path, _, value) => {
    const { status, body } = await put(at(path, value));
    expect(status).toBe(400);
    const top = path.split('.', 1)[0] ?? '';
    const named = body.errors.map((error: { field: string }) => error.field);
    expect(named).toContainEqual(expect.stringMatching(new RegExp(`^${top}(\\.|$)`)));
  });

  it.each(['', ...OBJECTS])('with an unknown field in %s', async (path) => {
    const valid = path.startsWith('strict') ? { source: 'local', path: 'x' } : {};
    const { status, body } = await put(path === '' ? { more: 1 } : at(path, { ...valid, more: 1 }));
    expect([status, body.errors]).toEqual([
      400,
      [{ field: `${path}.more`.replace(/^\./, ''), message: 'is not a known field' }],
    ]);
  });

  it.each(['model', 'reasoningEffort', 'interactionMode', 'autonomyLevel', 'autonomyMode', 'specModeModel'])(
    'with null for %s in the session defaults',
    async (field) => {
      const { status } = await put({ sessionDefaultSettings: { [field]: null } });
      expect(status).toBe(400);
    },
  );

  it.each([[{ autonomyMode: 'normal', autonomyLevel: 'high' }], [{ autonomyMode: 'spec', interactionMode: 'auto' }]])(
    'with session defaults that contradict each other: %j',
    async (sessionDefaultSettings) => {
      const { status, body } = await put({ sessionDefaultSettings });
      expect([status, body.errors[0].field]).toEqual([400, 'sessionDefaultSettings.autonomyMode']);
    },
  );

  it('and name every field that is wrong', async () => {
    const { body } = await put({ sessionRetentionDays: 13, maxAutonomyLevel: 'x', sandbox: { mode: 'y' }, more: 1 });
    const named = body.errors.map((error: { field: string }) => error.field).sort();
    expect(named).toEqual(['maxAutonomyLevel', 'more', 'sandbox.mode', 'sessionRetentionDays']);
  });

  it('and nothing of what was refused above is stored', async () => {
    expect(await stored()).toBe(0);
  });
});

describe('a marketplace source without what its kind needs is 400', () => {
  it.each([
    [{ source: 'github' }],
    [{ source: 'url', repo: 'example/plugins' }],
    [{ source: 'local', url: 'https://git.example.com' }],
    [{ source: 'git-subdir', url: 'https://git.example.com' }],
    [{ source: 'git-subdir', path: 'plugins' }],
  ])('%j', async (source) => {
    const { status } = await put({ strictKnownMarketplaces: [source] });
    expect(status).toBe(400);
  });
});

const REASONING = ['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const PROVIDERS = [
  ...['anthropic', 'openai', 'generic-chat-completion-api', 'factory', 'google', 'xai', 'voyage', 'bedrock-converse'],
];
const RIGHT: [path: string, values: unknown[]][] = [
  ['sessionRetentionDays', [14, 365]],
  ['maxAutonomyLevel', ['off', 'low', 'medium', 'high']],
  ['sessionDefaultSettings.reasoningEffort', REASONING],
  ['sessionDefaultSettings.specModeReasoningEffort', REASONING],
  ['sessionDefaultSettings.interactionMode', ['auto', 'spec', 'agi', 'mission']],
  ['sessionDefaultSettings.model', [text(1), '👩'.repeat(200)]],
  ['customModels', [[], Array(200).fill({})]],
  ['customModels.0.provider', PROVIDERS],
  ['customModels.0.reasoningEffort', REASONING],
  ['customModels.0.extraArgs', [{ any: [{ thing: null }] }]],
  ['commandAllowlist', [[], list(1000), [text(500)]]],
  ['mcpAutonomyOverrides', [{}, { a: {} }, { a: { tools: {} } }]],
  ['sandbox.mode', ['per-command', 'whole-process']],
  ['sandbox.network.httpProxyPort', [1, 65_535]],
  ['networkPolicy.allowedIps', [['127.0.0.1'], ['0.0.0.0/0'], ['127.0.0.1/32', '::/0', '::1/128', '::ffff:10.0.0.1']]],
];
const right = RIGHT.flatMap(([path, values]) =>
  values.map((value): [string, string, unknown] => [path, JSON.stringify(value).slice(0, 60), value]),
);

describe('controls are taken as they are', () => {
  it.each(right)('with %s: %s', async (path, _, value) => {
    const settings = at(path, value);
    const { status, body } = await put(settings);
    expect([status, body.settings]).toEqual([200, settings]);
  });
});
