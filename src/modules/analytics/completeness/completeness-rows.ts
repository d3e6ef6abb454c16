import type { CompletenessRow, Coverage } from './completeness.dto.js';

/** Counters of a day and agent; null where there is no row. */
export interface AgentDay {
  date: string;
  agent: string;
  terminalUi: number | null;
  web: number | null;
  headless: number | null;
  duplicates: number | null;
  rejected: number | null;
  ignored: number | null;
  /** How many numbers the agent has given its records, and how many of these arrived. */
  numbered: number | null;
  numberedSeen: number | null;
  /** The counters that the agent sends beside its records, and what arrived of that. */
  claimed: number | null;
  claimedSeen: number | null;
}

/** Events of a day by client; null: unknown, as the raw events are gone. */
export interface StoredDay {
  date: string;
  terminalUi: number | null;
  web: number | null;
  headless: number | null;
}

export const OTHER = '(other)';
const UNITS = new Map<string, Coverage['unit']>([['codex', 'model_calls']]);
const NO_COVERAGE: Coverage = { value: null, basis: 'none', missing: null, unit: null };

/** Has all columns. */
export const EXAMPLE: CompletenessRow = {
  date: '',
  client: '',
  arrived: 0,
  by_client: { terminal_ui: 0, web: 0, non_interactive_cli: 0 },
  duplicates: 0,
  rejected: 0,
  ignored: 0,
  coverage: NO_COVERAGE,
};

/** By day and client. The rows of a day add up to its stored events: those that no agent accounts for are `(other)`. */
export function toRows(agents: readonly AgentDay[], stored: readonly StoredDay[]): CompletenessRow[] {
  const rows = agents.map(toRow);
  for (const day of stored) {
    const other = otherOf(day, rows);
    if (other) rows.push(other);
  }
  return rows.sort((a, b) => compare(a.date, b.date) || compare(a.client, b.client));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toRow(day: AgentDay): CompletenessRow {
  const byClient = { terminal_ui: day.terminalUi ?? 0, web: day.web ?? 0, non_interactive_cli: day.headless ?? 0 };
  return {
    date: day.date,
    client: day.agent,
    arrived: byClient.terminal_ui + byClient.web + byClient.non_interactive_cli,
    by_client: byClient,
    duplicates: day.duplicates ?? 0,
    rejected: day.rejected ?? 0,
    ignored: day.ignored ?? 0,
    coverage: coverageOf(day),
  };
}

function otherOf(
  { date, terminalUi, web, headless }: StoredDay,
  rows: readonly CompletenessRow[],
): CompletenessRow | null {
  const nothing = { duplicates: 0, rejected: 0, ignored: 0, coverage: NO_COVERAGE };
  if (terminalUi === null || web === null || headless === null) {
    const unknown = { terminal_ui: null, web: null, non_interactive_cli: null };
    return { date, client: OTHER, arrived: null, by_client: unknown, ...nothing };
  }
  const rest = { terminal_ui: terminalUi, web, non_interactive_cli: headless };
  for (const { by_client } of rows.filter((row) => row.date === date)) {
    rest.terminal_ui -= by_client.terminal_ui ?? 0;
    rest.web -= by_client.web ?? 0;
    rest.non_interactive_cli -= by_client.non_interactive_cli ?? 0;
  }
  // Late events may be in the counters before they are in the figures.
  for (const name of ['terminal_ui', 'web', 'non_interactive_cli'] as const) rest[name] = Math.max(0, rest[name]);
  const arrived = rest.terminal_ui + rest.web + rest.non_interactive_cli;
  return arrived > 0 ? { date, client: OTHER, arrived, by_client: rest, ...nothing } : null;
}

/** The smaller of what the numbers and the counters say. Unknown without either; above 1 is shown as it is. */
function coverageOf({ agent, numbered, numberedSeen, claimed, claimedSeen }: AgentDay): Coverage {
  const bySequence = shareOf(numbered, numberedSeen, 'events');
  const byCounters = shareOf(claimed, claimedSeen, UNITS.get(agent) ?? 'tokens');
  const smaller = bySequence && byCounters && bySequence.value < byCounters.value ? bySequence : byCounters;
  const share = smaller ?? bySequence;
  if (!share) return NO_COVERAGE;
  const basis = bySequence && byCounters ? 'both' : bySequence ? 'sequence' : 'counters';
  return { value: share.value, basis, missing: share.missing, unit: share.unit };
}

function shareOf(claimed: number | null, seen: number | null, unit: NonNullable<Coverage['unit']>) {
  if (!claimed) return null;
  // Rounded down: a day that misses anything is never shown as 1.
  const value = Math.floor(((seen ?? 0) / claimed) * 1e6) / 1e6;
  return { value, missing: Math.max(0, claimed - (seen ?? 0)), unit };
}
