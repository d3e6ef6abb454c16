import { setTimeout as sleep } from 'node:timers/promises';
import { Role } from '../../src/common/access/role.enum.js';
import { SourceCounts } from '../../src/modules/telemetry/sources/source-counts.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { type OtlpBody, otlpSample, replaced, signalOf, splitRequest } from '../support/otlp-requests.js';
import { TestApp } from '../support/test-app.js';

const NOW = '2026-11-15T08:30:00.000Z';
const PATH = '/api/v0/telemetry/sources';
const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;
let member: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  member = await app.given.user(org, { role: Role.Member });
});
afterAll(() => app.stop());

const send = (user: GivenUser, body: OtlpBody) => app.as(user).post(`/api/otlp/v1/${signalOf(body)}`, body);

async function sourcesOf(user: GivenUser, parameters = ''): Promise<Record<string, unknown>[]> {
  await app.nest.get(SourceCounts).flush();
  const { status, body } = await app.as(user).get(PATH + parameters);
  expect(status).toBe(200);
  return body.sources as Record<string, unknown>[];
}

describe('the sources of telemetry', () => {
  it('tell by user, agent and version when something came and what became of it', async () => {
    await send(member, otlpSample('claude-code-logs-http-json'));
    clock.advance(60_000);
    await send(member, otlpSample('claude-code-logs-http-json'));
    expect(await sourcesOf(org.owner)).toEqual([
      {
        userId: member.id,
        userEmail: member.email,
        agent: 'claude-code',
        version: '2.1.197',
        firstSeenAt: NOW,
        lastSeenAt: '2026-11-15T08:31:00.000Z',
        counted: 6,
        ignored: 0,
        refused: 0,
      },
    ]);
  });

  it('tell the last reason of a refusal', async () => {
    const prompt = splitRequest(otlpSample('claude-code-logs-http-json'))[0] ?? {};
    await send(member, replaced(prompt, /"timeUnixNano":"\d+"/g, '"timeUnixNano":"4102444800000000000"'));
    expect(await sourcesOf(org.owner)).toMatchObject([
      { counted: 0, refused: 1, lastReason: 'at lies in the future', lastRefusedAt: NOW },
    ]);
  });

  it('count what no adapter knows as ignored', async () => {
    const prompt = splitRequest(otlpSample('claude-code-logs-http-json'))[0] ?? {};
    await send(member, replaced(prompt, '"user_prompt"', '"brand_new"'));
    expect(await sourcesOf(org.owner)).toMatchObject([{ counted: 0, ignored: 1 }]);
  });

  it('show an agent that has sent nothing but metrics', async () => {
    await send(member, otlpSample('gemini-cli-metrics-cumulative'));
    expect(await sourcesOf(org.owner)).toMatchObject([{ agent: 'gemini-cli', counted: 0, ignored: 0, refused: 0 }]);
  });

  it('are current within two seconds', async () => {
    await send(member, otlpSample('codex-logs'));
    await sleep(2_000);
    const { body } = await app.as(org.owner).get(PATH);
    expect(body.sources).toMatchObject([{ agent: 'codex', version: '0.166.0' }]);
  });

  it('belong to the user whom a collector names', async () => {
    await send(org.owner, replaced(otlpSample('claude-code-logs-http-json'), 'dev@example.com', member.email));
    expect(await sourcesOf(org.owner)).toMatchObject([{ userId: member.id }]);
  });

  it('are listed in pages to the end', async () => {
    const versions = Array.from({ length: 5 }, (_, i) => `1.0.${i}`);
    for (const version of versions) {
      await send(member, replaced(otlpSample('claude-code-logs-http-json'), '2.1.197', version));
    }
    await app.nest.get(SourceCounts).flush();
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await app.as(org.owner).get(`${PATH}?limit=2${cursor}`);
      seen.push(...(body.sources as { version: string }[]).map(({ version }) => version));
      if (!body.pagination.hasMore) break;
      cursor = `&cursor=${body.pagination.nextCursor}`;
    }
    expect(seen).toEqual(versions);
  });

  it('of more than twenty versions are counted together', async () => {
    for (let i = 0; i < 30; i++) {
      const prompt = splitRequest(otlpSample('claude-code-logs-http-json'))[0] ?? {};
      await send(member, replaced(prompt, '2.1.197', `1.0.${i}`));
      if (i === 10) await app.nest.get(SourceCounts).flush();
    }
    const sources = await sourcesOf(org.owner, '?limit=100');
    expect(sources).toHaveLength(21);
    expect(sources.find(({ version }) => version === '(other)')).toMatchObject({ counted: 10 });
  });

  it.each(['<script>', 'a b', 'x'.repeat(51), '../../etc'])('do not keep %j as a version', async (version) => {
    await send(member, replaced(otlpSample('claude-code-logs-http-json'), '2.1.197', version));
    expect(await sourcesOf(org.owner)).toMatchObject([{ version: '' }]);
  });
});

describe('who sees which sources', () => {
  beforeEach(async () => {
    await send(member, otlpSample('claude-code-logs-http-json'));
    await send(org.owner, otlpSample('codex-logs'));
  });

  it('owners and managers all, and those of one user', async () => {
    const manager = await app.given.user(org, { role: Role.Manager });
    for (const user of [org.owner, manager]) {
      expect(await sourcesOf(user)).toHaveLength(2);
      expect(await sourcesOf(user, `?userId=${member.id.toUpperCase()}`)).toMatchObject([{ userId: member.id }]);
    }
  });

  it('members their own, whomever they ask for', async () => {
    expect(await sourcesOf(member)).toMatchObject([{ userId: member.id, agent: 'claude-code' }]);
    expect(await sourcesOf(member, `?userId=${member.id}`)).toHaveLength(1);
    expect(await sourcesOf(member, `?userId=${org.owner.id}`)).toEqual([]);
  });

  it('nobody those of another organization', async () => {
    const other = await app.given.organization();
    expect(await sourcesOf(other.owner)).toEqual([]);
    expect(await sourcesOf(other.owner, `?userId=${member.id}`)).toEqual([]);
  });

  it.each(['userId=me', 'limit=0', 'cursor=none', 'agent=codex'])('a query with %s is a 400', async (parameters) => {
    const { status, body } = await app.as(org.owner).get(`${PATH}?${parameters}`);
    expect([status, body.errors?.[0]?.field]).toEqual([400, parameters.split('=')[0]]);
  });
});

it('an erased user leaves no address in the sources', async () => {
  await send(member, otlpSample('claude-code-logs-http-json'));
  await app.as(org.owner).delete(`/api/v0/organization/users/${member.id}`);
  await app.as(org.owner).post(`/api/v0/organization/users/${member.id}/erase`);
  expect(await sourcesOf(org.owner)).toMatchObject([{ userId: member.id, userEmail: '' }]);
});
