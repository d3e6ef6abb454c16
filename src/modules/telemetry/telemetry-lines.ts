import { createHash } from 'node:crypto';
import type { Topics } from '../../database/notification-topics.js';
import type { Signal } from './otlp/records.js';
import type { Outcome, Rejected } from './telemetry-stats.js';

/** Payloads of NOTIFY have less than 8,000 bytes. */
const MAX_LINE = 7_000;
/** Names of ignored records in one line. */
const MAX_NAMES = 8;

type Seen = Topics['telemetry_seen'];

/** One request as `telemetry tail` shows it: what counted comes first, what is ignored is one line. */
export function describeRequest(
  { time, sender, signal }: { time: Date; sender: string; signal: Signal },
  outcomes: readonly Outcome[],
  rejected: Rejected,
): Seen {
  const ignored = outcomes.filter(({ isIgnored }) => isIgnored);
  const known = outcomes.filter(({ isIgnored }) => !isIgnored);
  const isCounted = ({ facts }: Outcome) => Object.keys(facts).length > 0;
  const lines = [
    ...known.filter(isCounted).map((outcome) => `${titleOf(outcome)}: ${factsOf(outcome)}`),
    ...(rejected.count > 0 ? [`${rejected.count} refused: ${rejected.reason}`] : []),
    ...known.filter((outcome) => !isCounted(outcome)).map((outcome) => `${titleOf(outcome)}: nothing to count`),
    ...(ignored.length > 0 ? [`ignored x ${recordsOf(ignored)}: ${namesOf(ignored)}`] : []),
  ];
  const head = `${time.toISOString().slice(11, 23)} ${signal} of ${sender}`;
  const line = [head, ...(lines.length > 0 ? lines : ['empty'])].join('\n  ').slice(0, MAX_LINE);
  const hasOnlyIgnored = ignored.length > 0 && known.length === 0 && rejected.count === 0;
  if (!hasOnlyIgnored) return { line };
  return {
    line,
    ignored: { kind: digestOf([sender, signal, ...ignored.map(labelOf).sort()]), records: recordsOf(ignored) },
  };
}

/** Folds consecutive requests with nothing but the same ignored records. */
export class FoldedLines {
  private last: string | null = null;
  private requests = 0;
  private records = 0;

  /** Returns the lines to show now. */
  add({ line, ignored }: Seen): string[] {
    if (ignored && ignored.kind === this.last) {
      this.requests++;
      this.records += ignored.records;
      return [];
    }
    const lines = [...this.flush(), line];
    this.last = ignored?.kind ?? null;
    return lines;
  }

  /** What was folded since the last line. */
  flush(): string[] {
    if (this.requests === 0) return [];
    const line = `  and the same again x ${this.requests}: ignored x ${this.records}`;
    this.requests = this.records = 0;
    return [line];
  }
}

function titleOf(outcome: Outcome): string {
  return `${labelOf(outcome)} x ${outcome.records}`;
}

function labelOf({ agent, name }: Outcome): string {
  return `${agent} ${name}`;
}

function factsOf({ facts }: Outcome): string {
  return Object.entries(facts)
    .map(([type, count]) => `${count} ${type}`)
    .join(', ');
}

function recordsOf(outcomes: readonly Outcome[]): number {
  return outcomes.reduce((sum, { records }) => sum + records, 0);
}

function namesOf(ignored: readonly Outcome[]): string {
  const shown = ignored
    .slice(0, MAX_NAMES)
    .map((outcome) => (outcome.records > 1 ? titleOf(outcome) : labelOf(outcome)));
  const left = ignored.length - shown.length;
  return shown.join(', ') + (left > 0 ? ` and ${left} more names` : '');
}

function digestOf(words: string[]): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('base64url');
}
