import { readFile, stat } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { type AssignmentResult, TeamAssignmentsService } from './team-assignments.service.js';
import { addressesIn, readTeamFile } from './team-file.js';

const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_NAMED_TEAMS = 20;

/** Commands of an operator; each returns the text to print. */
@Injectable()
export class TeamCommands {
  constructor(
    private readonly db: OrgDatabase,
    private readonly organizations: OrganizationsService,
    private readonly users: UsersRepository,
    private readonly assignments: TeamAssignmentsService,
  ) {}

  /** All or nothing. */
  async importFile(input: { org?: string; file: string; dryRun?: boolean }): Promise<string> {
    const { id: orgId, name } = await this.organizations.resolve(input.org);
    const text = await readText(input.file);
    const users = await this.users.listIdsByEmailKey(this.db.reader(orgId), orgId, addressesIn(text));
    const assignments = readTeamFile(text, users);
    const result = await this.assignments.assign(orgId, null, assignments, {
      dryRun: input.dryRun,
      source: 'teams import',
    });
    const people = new Set(assignments.map(({ userId }) => userId)).size;
    const head = input.dryRun
      ? `Nothing was written; in "${name}", an import would change:`
      : `Imported into "${name}":`;
    return [head, `  ${people} people in the file`, ...changesOf(result).map((line) => `  ${line}`)].join('\n');
  }
}

function changesOf({ createdTeams, added, removed }: AssignmentResult): string[] {
  const named = createdTeams.slice(0, MAX_NAMED_TEAMS).join(', ');
  const teams = createdTeams.length === 0 ? '' : `: ${named}${createdTeams.length > MAX_NAMED_TEAMS ? ', ...' : ''}`;
  return [
    `${createdTeams.length} teams created${teams}`,
    `${added} memberships added`,
    `${removed} memberships removed or changed`,
  ];
}

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) throw new InvalidRequestError(`${file} is larger than ${MAX_FILE_BYTES} bytes.`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error;
    if (error instanceof TypeError) throw new InvalidRequestError(`${file} is not text in UTF-8.`);
    throw new InvalidRequestError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
