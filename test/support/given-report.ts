import type { ApiAnswer } from './api-client.js';
import type { GivenUser } from './given.js';
import type { TestApp } from './test-app.js';

export const REPORTS = '/api/organization/maturity-level-reports';
export const REPORTS_ALIAS = '/api/organization/agent-readiness-reports';

export const share = (numerator: unknown, denominator: unknown, rationale: unknown = 'Because.') => ({
  numerator,
  denominator,
  rationale,
});

/** The required fields. */
export const newReport = () => ({
  repoUrl: 'https://github.com/acme/shop',
  apps: { 'apps/web': { description: 'Web shop' }, 'apps/worker': { description: 'Sends the mails' } },
  report: { lint_config: share(1, 2), readme: share(1, 1) },
});

export async function givenReport(app: TestApp, user: GivenUser, changes: object = {}): Promise<ApiAnswer['body']> {
  const { status, body } = await app.as(user).post(REPORTS, { ...newReport(), ...changes });
  if (status !== 201) throw new Error(`The report was refused: ${status} ${JSON.stringify(body)}`);
  return body;
}
