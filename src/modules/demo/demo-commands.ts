import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { OrgDatabase } from '../../database/org-database.js';
import { ApiKeysService } from '../organization/api-keys/api-keys.service.js';
import { type Phase, SHOWN_DAYS } from './demo-days.js';
import { DemoFillService } from './demo-fill.service.js';
import { PEOPLE } from './demo-people.js';
import { DEMO_COMPUTER } from './demo-records.service.js';
import { REPOSITORIES } from './demo-reports.js';
import { type Demo, type DemoResult, DemoService } from './demo.service.js';

/** Each returns the text to print at the end. */
@Injectable()
export class DemoCommands {
  constructor(
    private readonly demo: DemoService,
    private readonly filling: DemoFillService,
    private readonly db: OrgDatabase,
    private readonly apiKeys: ApiKeysService,
    private readonly config: AppConfig,
  ) {}

  /** `print` shows how to look at it as soon as there is something to see. */
  async fill(phase: Phase, print: (text: string) => void): Promise<string> {
    const introductions: Promise<void>[] = [];
    const result = await this.filling.fillHere(phase, (demo) => {
      introductions.push(this.introduce(demo, print));
    });
    await Promise.all(introductions);
    return [
      `"${result.name}" has an invented history from ${result.from} to ${result.today}. Added just now:`,
      ...added(result),
      '`npm run cli -- demo --remove` removes it.',
    ].join('\n');
  }

  async remove(): Promise<string> {
    const name = await this.demo.remove();
    return name === null ? 'There is no demo.' : `The organization "${name}" is removed, with everything in it.`;
  }

  private async introduce(demo: Demo, print: (text: string) => void): Promise<void> {
    const { orgId, owner } = demo;
    const input = { name: 'printed by the demo', userId: owner.userId, expiresAt: null, createdBy: owner.userId };
    const { key } = await this.db.transaction(orgId, (tx) => this.apiKeys.issue(tx, orgId, null, input));
    print(this.introduction(demo, key).join('\n'));
  }

  private introduction({ name, from, today, owner }: Demo, key: string): string[] {
    const url = this.config.http.publicUrl;
    const last = today.plus(-1);
    const head = [
      `The newest weeks of "${name}" are there, older ones follow. A key of its owner, ${owner.email ?? ''}, shown only now:`,
      key,
    ];
    if (last.isBefore(from)) return [...head, `There are figures of it tomorrow. API: ${url}/docs`];
    const first = today.plus(-SHOWN_DAYS).isBefore(from) ? from : today.plus(-SHOWN_DAYS);
    const range = `startDate=${first}&endDate=${last}`;
    const get = (path: string) => `  curl -s -H "Authorization: Bearer $DEMO_KEY" "${url}${path}"`;
    return [
      ...head,
      `Look at it in Swagger UI (${url}/docs) with this key, or from a shell:`,
      `  export DEMO_KEY=${key}`,
      get('/api/v1/analytics/today'),
      get(`/api/v1/analytics/summary?${range}&compare=previous`),
      get(`/api/v1/analytics/breakdown?${range}&dimension=team&metric=cost`),
      get(`/api/v1/analytics/breakdown?${range}&dimension=model&metric=billable_tokens&limit=5`),
      get(`/api/v1/analytics/activity?${range}`),
      get('/api/v0/organization/prices'),
      get(`/api/organization/maturity-level-reports?limit=${REPOSITORIES.length}`),
      get('/api/v0/sessions'),
      '',
    ];
  }
}

function added({ people, sessions, reports, events }: DemoResult): string[] {
  const { accepted, duplicates, rejectedCount, rejected } = events;
  const lines = [
    `${people} of ${PEOPLE.length} people, in five teams`,
    `${sessions} sessions of the owner, on the computer ${DEMO_COMPUTER}`,
    `${reports} readiness reports, on ${REPOSITORIES.length} repositories`,
    `${shown(accepted)} usage events; ${shown(duplicates)} were there before`,
  ];
  if (rejectedCount > 0) lines.push(`${shown(rejectedCount)} events were rejected: ${rejected[0]?.error ?? ''}`);
  return lines.map((line) => `  ${line}`);
}

function shown(count: number): string {
  return count.toLocaleString('en');
}
