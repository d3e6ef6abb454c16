import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { OrganizationsService } from '../organization/organizations/organizations.service.js';
import type { Phase } from './demo-days.js';
import { PEOPLE } from './demo-people.js';
import { DEMO_COMPUTER } from './demo-records.service.js';
import { REPOSITORIES } from './demo-reports.js';
import { type DemoResult, DemoService } from './demo.service.js';

const SHOWN_DAYS = 30;

/** Returns the text to print. */
@Injectable()
export class DemoCommands {
  constructor(
    private readonly demo: DemoService,
    private readonly organizations: OrganizationsService,
    private readonly config: AppConfig,
  ) {}

  async fill(input: { org?: string }, phase: Phase): Promise<string> {
    const organization = await this.organizations.resolve(input.org);
    const result = await this.demo.fill(organization.id, phase);
    return [
      `"${organization.name}" has an invented history from ${result.from} to ${result.today}. Added just now:`,
      ...added(result),
      '',
      ...this.suggestions(result),
    ].join('\n');
  }

  private suggestions({ from, today, owner }: DemoResult): string[] {
    const url = this.config.http.publicUrl;
    const last = today.plus(-1);
    if (last.isBefore(from)) return [`There are figures of it tomorrow. API: ${url}/docs`];
    const first = today.plus(-SHOWN_DAYS).isBefore(from) ? from : today.plus(-SHOWN_DAYS);
    const get = (path: string) => `  curl -s -H "Authorization: Bearer $KEY" "${url}${path}"`;
    return [
      `Look at it in Swagger UI (${url}/docs) with the key of ${owner.email ?? 'an owner'}, or from a shell:`,
      get(`/api/v1/analytics/activity?startDate=${first}&endDate=${last}`),
      get(`/api/v1/analytics/tokens?startDate=${from}&endDate=${last}&group_by=model`),
      get(`/api/organization/maturity-level-reports?limit=${REPOSITORIES.length}`),
      get('/api/v0/sessions'),
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
