import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCipheriv, randomBytes } from 'node:crypto';
import { AppConfig } from '../../src/config/app-config.js';
import { SecretBox } from '../../src/modules/organization/controls/secret-box.js';
import { SystemDatabase } from '../../src/database/system-database.js';
import { ControlSecrets } from '../../src/modules/organization/controls/control-secrets.js';
import { ControlsRepository } from '../../src/modules/organization/controls/controls.repository.js';
import { StoredSecretsService } from '../../src/modules/organization/controls/stored-secrets.service.js';
import { OperatorCommands } from '../../src/modules/organization/operator-commands.js';
import type { GivenOrganization } from '../support/given.js';
import { givenComputer, givenMessage, SESSIONS } from '../support/given-session.js';
import { RelayAgent } from '../support/relay-agent.js';
import { createTestDatabase, query, type TestDatabase } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

const CONTROLS = '/api/v0/organization/enterprise-controls';
const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const UNREADABLE = '****unreadable';
const SECRET = 'sk-canary-0123456789-wxyz';
const WITH_SECRETS = {
  commandDenylist: ['rm'],
  customModels: [
    {
      id: 'custom:a',
      apiKey: SECRET,
      baseUrl: `https://ada:${SECRET}@models.example.com/v1?token=${SECRET}`,
      extraHeaders: { 'X-Token': SECRET, 'X-Team': '${TEAM}' },
      extraArgs: { apiKey: SECRET, top_k: 40, list: [SECRET, 'plain'] },
    },
  ],
  strictKnownMarketplaces: [{ source: 'url', url: `https://ghp_${SECRET}@github.com/a/b.git` }],
};
const UNREADABLE_ONES = {
  commandDenylist: ['rm'],
  customModels: [
    {
      id: 'custom:a',
      apiKey: UNREADABLE,
      baseUrl: `https://ada:${UNREADABLE}@models.example.com/v1?token=${UNREADABLE}`,
      extraHeaders: { 'X-Token': UNREADABLE, 'X-Team': '${TEAM}' },
      extraArgs: { apiKey: UNREADABLE, top_k: 40, list: [UNREADABLE, 'plain'] },
    },
  ],
  strictKnownMarketplaces: [{ source: 'url', url: `https://${UNREADABLE}@github.com/a/b.git` }],
};
/** Without what cannot be opened. */
const FOR_AGENTS = {
  commandDenylist: ['rm'],
  customModels: [
    {
      id: 'custom:a',
      baseUrl: 'https://ada@models.example.com/v1?token=',
      extraHeaders: { 'X-Team': '${TEAM}' },
      extraArgs: { top_k: 40, list: ['plain'] },
    },
  ],
  strictKnownMarketplaces: [{ source: 'url', url: 'https://github.com/a/b.git' }],
};

const env = (key: Buffer, previous: Buffer[] = []) => ({
  SECRETS_KEY: key.toString('base64'),
  SECRETS_KEY_PREVIOUS: previous.map((bytes) => bytes.toString('hex')).join(','),
});
const boxOf = (key: Buffer, previous: Buffer[] = []) => new SecretBox(AppConfig.fromEnv(env(key, previous)));

describe('a secret box', () => {
  it('opens what it sealed, and tells that it need not be sealed anew', async () => {
    const box = boxOf(NEW);
    const sealed = await box.seal(SECRET);
    expect([await box.open(sealed), await box.isUpToDate(sealed)]).toEqual([SECRET, true]);
  });

  it('opens what a previous key sealed, and tells that it is to be sealed anew', async () => {
    const sealed = await boxOf(OLD).seal(SECRET);
    const box = boxOf(NEW, [randomBytes(32), OLD]);
    expect([await box.open(sealed), await box.isUpToDate(sealed)]).toEqual([SECRET, false]);
  });

  it('opens what was sealed before sealed text named its key', async () => {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', OLD, iv);
    const text = Buffer.concat([cipher.update(SECRET), cipher.final()]);
    const sealed = `sealed.v1.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`;
    expect([await boxOf(OLD).open(sealed), await boxOf(NEW, [OLD]).open(sealed)]).toEqual([SECRET, SECRET]);
    expect(await boxOf(OLD).isUpToDate(sealed)).toBe(false);
  });

  it('names the key in what it seals, the same each time', async () => {
    const start = async (box: SecretBox) => (await box.seal(SECRET)).slice(0, 'sealed.v1.'.length + 4);
    const [first, again, other] = [await start(boxOf(OLD)), await start(boxOf(OLD)), await start(boxOf(NEW))];
    expect([first === again, first === other]).toEqual([true, false]);
  });

  it.each(['sealed.v1.', 'sealed.v1.AAAA', `sealed.v1.${'A'.repeat(80)}`, 'anything'])(
    'opens %j to nothing',
    async (text) => {
      expect(await boxOf(NEW, [OLD]).open(text)).toBeNull();
    },
  );

  it('tries the key in the data directory again after it could not be read', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'secrets-key-'));
    const box = new SecretBox(AppConfig.fromEnv({ DATA_DIR: directory }));
    writeFileSync(join(directory, 'secrets-key'), 'not a key');
    await expect(box.seal(SECRET)).rejects.toThrow('does not hold a key');
    writeFileSync(join(directory, 'secrets-key'), NEW.toString('base64'));
    expect(await boxOf(NEW).open(await box.seal(SECRET))).toBe(SECRET);
    rmSync(directory, { recursive: true });
  });

  it('is not configured with keys that are none', () => {
    expect(() => AppConfig.fromEnv({ SECRETS_KEY_PREVIOUS: `${OLD.toString('hex')},short` })).toThrow(
      'SECRETS_KEY_PREVIOUS must list keys',
    );
  });
});

describe('after SECRETS_KEY has changed', () => {
  const log: string[] = [];
  let database: TestDatabase;
  let app: TestApp;
  let org: GivenOrganization;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await TestApp.start({ database, env: env(NEW), onLog: (line) => log.push(line) });
  });
  afterAll(async () => {
    await app.stop();
    await database.drop();
  });

  const put = (settings: object) => app.as(org.owner).put(CONTROLS, settings);
  const shown = async () => (await app.as(org.owner).get(CONTROLS)).body.settings;

  /** What another key sealed. */
  beforeEach(async () => {
    org = await app.given.organization();
    expect((await put(WITH_SECRETS)).status).toBe(200);
    const settings = await new ControlSecrets(boxOf(OLD)).seal(WITH_SECRETS, null);
    await query(database.url, `UPDATE enterprise_controls SET settings = $2 WHERE org_id = $1`, [
      org.id,
      JSON.stringify(settings),
    ]);
  });

  const stored = (key: Buffer, previous: Buffer[] = []) =>
    new StoredSecretsService(
      app.nest.get(SystemDatabase),
      app.nest.get(ControlsRepository),
      new ControlSecrets(boxOf(key, previous)),
    );

  it('the secrets are shown as unreadable, and everything else as it is', async () => {
    expect(await shown()).toEqual(UNREADABLE_ONES);
  });

  it('the history and the audit log can be read', async () => {
    await put({});
    const { body } = await app.as(org.owner).get(`${CONTROLS}/history`);
    expect(body.changes.map(({ settings }: { settings: object }) => settings)).toEqual([{}, UNREADABLE_ONES]);
    const entries = await app.as(org.owner).get('/api/v0/organization/audit-log?limit=1');
    expect(entries.body.entries[0].before).toEqual(UNREADABLE_ONES);
  });

  it('a secret can be replaced while the others stay', async () => {
    const [model] = UNREADABLE_ONES.customModels;
    const { status } = await put({
      ...UNREADABLE_ONES,
      customModels: [{ ...model, apiKey: 'sk-new-0123456789-abcd' }],
    });
    expect(status).toBe(200);
    expect((await shown()).customModels[0]).toEqual({ ...model, apiKey: '****abcd' });
  });

  it('those that were kept are back when the old key is', async () => {
    await put(UNREADABLE_ONES);
    const [row] = await app.nest
      .get(SystemDatabase)
      .query<{ settings: object }>(
        `SELECT c.settings FROM enterprise_controls c WHERE c.org_id = $1 ORDER BY c.revision DESC LIMIT 1`,
        [org.id],
      );
    expect(await new ControlSecrets(boxOf(NEW, [OLD])).open(row?.settings ?? {})).toEqual(WITH_SECRETS);
  });

  it('controls can be reset', async () => {
    expect(await app.nest.get(OperatorCommands).resetControls({ org: org.id })).toContain('are empty again');
    expect(await shown()).toEqual({});
  });

  it('turns start, without the secrets, and the log says so once', async () => {
    const computerId = await givenComputer(app, org.owner);
    const agent = await RelayAgent.connect(app.url, org.owner.key, computerId);
    const { body } = await app.as(org.owner).post(SESSIONS, { computerId, sessionSettings: { model: 'custom:a' } });
    const session = {
      orgId: org.id,
      user: org.owner,
      id: body.sessionId,
      computerId,
      path: `${SESSIONS}/${body.sessionId}`,
    };
    await givenMessage(app, session, 'Hello');
    expect((await agent.turn()).controls).toEqual(FOR_AGENTS);
    await agent.end();
    const warnings = log.filter((line) => line.includes(`organization ${org.id} cannot be opened`));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('customModels.0.apiKey');
  });

  it('a start says once that some cannot be opened, and what to do', async () => {
    log.length = 0;
    await app.nest.get(StoredSecretsService).warnOfUnreadable();
    const lines = log.filter((line) => line.includes('cannot be opened'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/[0-9]+ stored secrets of [0-9]+ organizations .*SECRETS_KEY_PREVIOUS.*reseal/);
  });

  it('a start with the old key among the previous ones says nothing', async () => {
    log.length = 0;
    await stored(NEW, [OLD]).warnOfUnreadable();
    expect(log.filter((line) => line.includes('cannot be opened'))).toEqual([]);
  });

  it('resealing makes the old key needless, in all revisions', async () => {
    await put(UNREADABLE_ONES);
    const { secrets, revisions, unreadable } = await stored(NEW, [OLD]).reseal();
    expect([secrets >= 14, revisions >= 2, unreadable]).toEqual([true, true, 0]);
    expect(await app.nest.get(OperatorCommands).resealSecrets()).toBe(
      '0 secrets in 0 revisions were sealed with the key in SECRETS_KEY. SECRETS_KEY_PREVIOUS is not needed any more.',
    );
    const { body } = await app.as(org.owner).get(`${CONTROLS}/history`);
    expect(JSON.stringify(body)).not.toContain('unreadable');
  });

  it('resealing without the old key leaves what cannot be opened', async () => {
    const before = await query(database.url, `SELECT c.settings FROM enterprise_controls c WHERE c.org_id = $1`, [
      org.id,
    ]);
    expect((await stored(NEW).reseal()).unreadable).toBeGreaterThan(0);
    expect(
      await query(database.url, `SELECT c.settings FROM enterprise_controls c WHERE c.org_id = $1`, [org.id]),
    ).toEqual(before);
  });

  it('resealing seals what was stored in clear before it was taken for a secret', async () => {
    const settings = { strictKnownMarketplaces: [{ source: 'url', url: `https://ghp_${SECRET}@github.com/a/b.git` }] };
    await query(database.url, `UPDATE enterprise_controls SET settings = $2 WHERE org_id = $1`, [
      org.id,
      JSON.stringify(settings),
    ]);
    expect((await shown()).strictKnownMarketplaces[0].url).toBe('https://****wxyz@github.com/a/b.git');
    await stored(NEW, [OLD]).reseal();
    const [row] = await query<{ text: string }>(
      database.url,
      `SELECT c.settings::text AS text FROM enterprise_controls c WHERE c.org_id = $1`,
      [org.id],
    );
    expect([row?.text.includes(SECRET), row?.text.includes('https://sealed.v1.')]).toEqual([false, true]);
  });
});
