import { ControlSecrets } from '../../src/modules/organization/controls/control-secrets.js';
import type { EnterpriseControls } from '../../src/modules/organization/controls/enterprise-controls.js';
import type { GivenOrganization } from '../support/given.js';
import { query } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

const controls = '/api/v0/organization/enterprise-controls';
const CANARY = 'canary7f3a';
const KEY = `sk-${CANARY}-0123456789-wxyz`;
const HEADER = `Bearer ${CANARY}-header-1234`;
const PASSWORD = `${CANARY}-password-5678`;
const URL_WITH_PASSWORD = `https://ada:${PASSWORD}@models.example.com/v1`;
const WITH_SECRETS = {
  customModels: [
    {
      id: 'custom:a',
      apiKey: KEY,
      baseUrl: URL_WITH_PASSWORD,
      extraHeaders: { Authorization: HEADER, 'X-Team': '${TEAM}' },
    },
  ],
};
const MASKED = {
  customModels: [
    {
      id: 'custom:a',
      apiKey: '****wxyz',
      baseUrl: 'https://ada:****5678@models.example.com/v1',
      extraHeaders: { Authorization: '****1234', 'X-Team': '${TEAM}' },
    },
  ],
};

const log: string[] = [];
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start({ onLog: (line) => log.push(line) });
});
beforeEach(async () => {
  org = await app.given.organization();
});
afterAll(() => app.stop());

const put = (settings: object) => app.as(org.owner).put(controls, settings);
const putModel = (model: object) => put({ customModels: [model] });

/** The settings in force, as an agent gets them. */
async function opened(): Promise<EnterpriseControls> {
  const [row] = await query<{ settings: EnterpriseControls }>(
    app.database.url,
    `SELECT c.settings FROM enterprise_controls c WHERE c.org_id = $1 ORDER BY c.revision DESC LIMIT 1`,
    [org.id],
  );
  return app.nest.get(ControlSecrets).open(row?.settings ?? {});
}

describe('a literal secret', () => {
  it('is masked in the answer to the change', async () => {
    expect((await put(WITH_SECRETS)).body.settings).toEqual(MASKED);
  });

  it('is masked when the controls are read', async () => {
    await put(WITH_SECRETS);
    expect((await app.as(org.owner).get(controls)).body.settings).toEqual(MASKED);
  });

  it('is masked in the history', async () => {
    await put(WITH_SECRETS);
    await put({});
    const { body } = await app.as(org.owner).get(`${controls}/history`);
    expect(body.changes[1].settings).toEqual(MASKED);
  });

  it('is masked in the audit log, before and after', async () => {
    await put(WITH_SECRETS);
    await put({});
    const { body } = await app.as(org.owner).get('/api/v0/organization/audit-log?limit=2');
    expect([body.entries[0].before, body.entries[1].after]).toEqual([MASKED, MASKED]);
  });

  it('is what an agent gets', async () => {
    await put(WITH_SECRETS);
    expect(await opened()).toEqual(WITH_SECRETS);
  });

  it('is nowhere in the database', async () => {
    await put(WITH_SECRETS);
    const rows = await query<{ row: string }>(
      app.database.url,
      `SELECT c::text AS row FROM enterprise_controls c UNION ALL SELECT a::text FROM audit_log a`,
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.filter(({ row }) => row.includes(CANARY))).toEqual([]);
  });

  it('is nowhere in the log, even when the change is refused', async () => {
    await put(WITH_SECRETS);
    await put({ ...WITH_SECRETS, sessionRetentionDays: 1 });
    await put({ ...WITH_SECRETS, networkPolicy: { allowedIps: ['203.0.113.1'] } });
    await app.as(org.owner).put(controls, JSON.stringify(WITH_SECRETS).slice(0, -1));
    expect(log.length).toBeGreaterThan(0);
    expect(log.filter((line) => line.includes(CANARY))).toEqual([]);
  });

  it('is not repeated by the answer to a change that is refused', async () => {
    const { status, text } = await putModel({ ...WITH_SECRETS.customModels[0], baseUrl: `ftp://ada:${PASSWORD}@x` });
    expect([status, text.includes(CANARY)]).toEqual([400, false]);
  });

  it('is encrypted anew each time', async () => {
    await put(WITH_SECRETS);
    await put(WITH_SECRETS);
    const rows = await query<{ key: string }>(
      app.database.url,
      `SELECT DISTINCT c.settings #>> '{customModels,0,apiKey}' AS key FROM enterprise_controls c WHERE c.org_id = $1`,
      [org.id],
    );
    expect(rows).toHaveLength(2);
  });

  it.each([
    ['a key of 11 characters shows nothing', { apiKey: 'abcdefghijk' }, { apiKey: '****' }],
    ['a key of 12 characters shows its end', { apiKey: 'abcdefghijkl' }, { apiKey: '****ijkl' }],
    ['a URL without a password is shown', { baseUrl: 'https://ada@example.com/a:b@c' }, null],
    ['a reference is shown', { apiKey: '${MODEL_KEY}' }, null],
    ['a reference in a URL is shown', { baseUrl: 'https://ada:${PASSWORD}@example.com/' }, null],
    ['a reference in a header is shown', { extraHeaders: { Authorization: 'Bearer ${TOKEN}' } }, null],
    ['an empty header is shown', { extraHeaders: { 'X-Empty': '' } }, null],
  ])('%s', async (_, model, shown) => {
    const { body } = await putModel(model);
    expect(body.settings.customModels).toEqual([shown ?? model]);
  });
});

describe('a password in a URL is masked', () => {
  it.each([
    ['that has an at sign', `https://ada:${CANARY}@${CANARY}@example.com/`],
    ['of a user with an at sign', `https://ada@example.org:${CANARY}@example.com/`],
    ['after three slashes', `https:///ada:${CANARY}@example.com/`],
    ['of nobody', `https://:${CANARY}@example.com/`],
    ['with a colon', `https://ada:${CANARY}:${CANARY}@example.com:8443/`],
    ['in capitals', `HTTPS://ada:${CANARY}@EXAMPLE.com`],
  ])('%s', async (_, baseUrl) => {
    const { status, text } = await putModel({ baseUrl });
    expect([status, text.includes(CANARY)]).toEqual([200, false]);
  });

  it.each([
    ['allowed base URLs', { modelPolicy: { allowedBaseUrls: [URL_WITH_PASSWORD] } }],
    ['marketplaces', { strictKnownMarketplaces: [{ source: 'url', url: URL_WITH_PASSWORD }] }],
    ['further marketplaces', { extraKnownMarketplaces: { a: { source: { source: 'url', url: URL_WITH_PASSWORD } } } }],
  ])('of %s', async (_, settings) => {
    const { status, text } = await put(settings);
    expect([status, text.includes(CANARY)]).toEqual([200, false]);
  });
});

describe('the mask of a secret', () => {
  it('keeps the secret when it is sent back', async () => {
    await put(WITH_SECRETS);
    const { status } = await put(MASKED);
    expect([status, await opened()]).toEqual([200, WITH_SECRETS]);
  });

  it('keeps the secret of a model that moves in the list', async () => {
    await put(WITH_SECRETS);
    await put({ customModels: [{ id: 'custom:new' }, ...MASKED.customModels] });
    expect((await opened()).customModels?.[1]).toEqual(WITH_SECRETS.customModels[0]);
  });

  it('keeps each of two short secrets', async () => {
    const customModels = [
      { id: 'custom:a', apiKey: 'first' },
      { id: 'custom:b', apiKey: 'second' },
    ];
    const { body } = await put({ customModels });
    const { status } = await put(body.settings);
    expect([status, await opened()]).toEqual([200, { customModels }]);
  });

  it('keeps nothing that is gone from the revision in force', async () => {
    await put(WITH_SECRETS);
    await put({});
    expect((await put(MASKED)).status).toBe(400);
  });

  it('of another organization is 400', async () => {
    await put(WITH_SECRETS);
    org = await app.given.organization();
    expect((await put(MASKED)).status).toBe(400);
  });

  it.each([
    ['customModels.0.apiKey', { apiKey: '****abcd' }],
    ['customModels.0.apiKey', { apiKey: '****' }],
    ['customModels.0.apiKey', { apiKey: '********' }],
    ['customModels.0.baseUrl', { baseUrl: 'https://ada:****abcd@models.example.com/v1' }],
    ['customModels.0.extraHeaders.Authorization', { extraHeaders: { Authorization: '****abcd' } }],
  ])('that is none is 400 and changes nothing: %s %j', async (field, model) => {
    await put(WITH_SECRETS);
    const { status, body } = await putModel(model);
    expect([status, body.errors[0].field, await opened()]).toEqual([400, field, WITH_SECRETS]);
  });
});
