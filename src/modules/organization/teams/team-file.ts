import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import { isEmailAddress } from '../../../common/validation/email-address.js';
import { emailKey } from '../users/user.entity.js';
import { readCsv } from './csv-rows.js';
import { DAY_RULE, findOverlaps, isMembershipDay } from './membership.js';
import { isTeamName, NAME_RULE, teamKey } from './team.js';
import type { Assignment } from './team-assignments.service.js';

const COLUMNS = ['email', 'team', 'from', 'to'] as const;
const MAX_LINES = 100_000;
const MAX_SHOWN = 20;

type FileRow = Record<(typeof COLUMNS)[number], string> & { readonly line: number };

/** A file with columns email, team, from, to; the last may be empty. Throws an error that lists the wrong lines. */
export function readTeamFile(text: string, userIdOf: ReadonlyMap<string, string>): Assignment[] {
  const problems = new Problems();
  const rows = rowsOf(text.replace(/^\uFEFF/, ''), problems);
  const assignments = rows.flatMap((row) => toAssignment(row, userIdOf, problems));
  for (const { day, earlier, later } of findOverlaps(assignments.map((a) => ({ ...a, teamId: teamKey(a.team) })))) {
    problems.add(
      later.line,
      `${later.email} is in the team "${earlier.team}" on ${day} already, in line ${earlier.line}; ` +
        'nobody is in two teams on the same day',
    );
  }
  problems.throwIfAny();
  return assignments.map(({ userId, team, from, to }) => ({ userId, team, from, to }));
}

/** As keys; lines that are no records are left out. */
export function addressesIn(text: string): string[] {
  return [...new Set(rowsOf(text.replace(/^\uFEFF/, ''), new Problems()).map(({ email }) => emailKey(email)))];
}

class Problems {
  private readonly found: { line: number; text: string }[] = [];

  add(line: number, text: string): void {
    this.found.push({ line, text });
  }

  throwIfAny(): void {
    if (this.found.length === 0) return;
    const sorted = this.found.sort((a, b) => a.line - b.line).map(({ line, text }) => `  line ${line}: ${text}`);
    const more = sorted.length > MAX_SHOWN ? [`  and ${sorted.length - MAX_SHOWN} more`] : [];
    throw new InvalidRequestError(['Nothing was imported:', ...sorted.slice(0, MAX_SHOWN), ...more].join('\n'));
  }
}

function rowsOf(text: string, problems: Problems): FileRow[] {
  const [header, ...records] = readCsv(text);
  const names = header?.cells?.map((name) => name.toLowerCase()) ?? [];
  const isHeader = names.length === COLUMNS.length && COLUMNS.every((column) => names.includes(column));
  if (!isHeader) {
    throw new InvalidRequestError(
      `The first line has to be the header ${COLUMNS.join(',')} (in any order, separated by commas)` +
        (header?.cells ? `, but is ${header.cells.join(',').slice(0, 200)}.` : '.'),
    );
  }
  if (records.length > MAX_LINES) throw new InvalidRequestError(`A file may have ${MAX_LINES} lines.`);
  return records.flatMap(({ line, cells }) => {
    if (cells?.length === COLUMNS.length) {
      return [{ ...Object.fromEntries(names.map((name, i) => [name, cells[i]])), line } as FileRow];
    }
    problems.add(
      line,
      cells ? `has ${cells.length} columns instead of ${COLUMNS.length}` : 'has a quote that does not fit',
    );
    return [];
  });
}

function toAssignment(
  { line, email, team, from, to }: FileRow,
  userIdOf: ReadonlyMap<string, string>,
  problems: Problems,
): (Assignment & { line: number; email: string })[] {
  const userId = userIdOf.get(emailKey(email));
  const wrong = [
    !isEmailAddress(email) && `email: "${email.slice(0, 100)}" is no e-mail address`,
    isEmailAddress(email) && userId === undefined && `email: there is no user with the address ${email}`,
    !isTeamName(team) && `team: ${NAME_RULE}`,
    !isMembershipDay(from) && `from: ${DAY_RULE}`,
    to !== '' && !isMembershipDay(to) && `to: ${DAY_RULE}, or empty`,
    to !== '' && isMembershipDay(to) && isMembershipDay(from) && to < from && `to: must not be before from`,
  ].filter((text) => text !== false);
  for (const text of wrong) problems.add(line, text);
  if (wrong.length > 0 || userId === undefined) return [];
  return [{ line, email, userId, team, from, to: to === '' ? null : to }];
}
