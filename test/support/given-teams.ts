import type { ApiAnswer } from './api-client.js';
import type { GivenOrganization } from './given.js';
import type { TestApp } from './test-app.js';
import { query } from './test-database.js';

export const TEAMS = '/api/v0/organization/teams';

export interface GivenMember {
  userId: string;
  from: string;
  to?: string;
}

export async function givenTeam(app: TestApp, org: GivenOrganization, name: string, members: GivenMember[] = []) {
  const { body } = await app.as(org.owner).post(TEAMS, { name });
  const { status } = await app.as(org.owner).put(`${TEAMS}/${body.id}/members`, { members });
  if (status !== 200) throw new Error(`The members of ${name} answered ${status}`);
  return body.id as string;
}

/** The members of each team, by its name. */
export async function teamsOf(app: TestApp, org: GivenOrganization): Promise<Record<string, GivenMember[]>> {
  const { body } = await app.as(org.owner).get(`${TEAMS}?limit=100`);
  const teams = body.teams as { name: string; members: GivenMember[] }[];
  return Object.fromEntries(teams.map(({ name, members }) => [name, members]));
}

/** On which answers of analytics depend. */
export async function revisionOf(app: TestApp, org: GivenOrganization): Promise<number> {
  const [row] = await query<{ revision: string }>(
    app.database.url,
    `SELECT revision FROM team_changes WHERE org_id = $1`,
    [org.id],
  );
  return Number(row?.revision ?? 0);
}

/** Newest first. */
export async function auditOf(app: TestApp, org: GivenOrganization, prefix: string): Promise<ApiAnswer['body'][]> {
  const { body } = await app.as(org.owner).get('/api/v0/organization/audit-log?limit=100');
  return body.entries.filter(({ action }: { action: string }) => action.startsWith(prefix));
}

/** Adds users who are members, one day each. */
export async function memberships(app: TestApp, org: GivenOrganization, teamId: string, count: number): Promise<void> {
  await query(
    app.database.url,
    `WITH added AS (
       INSERT INTO users (org_id, id, role, created_at)
       SELECT $1, gen_random_uuid(), 'member', now() FROM generate_series(1, $3::int) n RETURNING org_id, id
     )
     INSERT INTO team_members (org_id, user_id, from_day, team_id) SELECT a.org_id, a.id, '2026-01-01', $2 FROM added a`,
    [org.id, teamId, count],
  );
}
