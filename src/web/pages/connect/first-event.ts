import type { Refusals, Source } from '../../api/telemetry.js';
import { AGENTS } from './setups.js';

/** What an agent had sent when the key was made. */
export interface Baseline {
  readonly atMs: number;
  readonly counted: number;
  readonly ignored: number;
  readonly refused: number;
  /** Of keys. */
  readonly refusals: number;
}

export type Arrival =
  | { readonly state: 'waiting' | 'silent' }
  | { readonly state: 'arrived'; readonly counted: number; readonly versions: readonly string[] }
  | { readonly state: 'wrong-key'; readonly reason: string }
  | { readonly state: 'unknown'; readonly ignored: number }
  | { readonly state: 'refused'; readonly reason: string };

/** Agents send within seconds to a minute once they work. */
const SILENT_AFTER_MS = 90_000;

const sum = (sources: readonly Source[], field: 'counted' | 'ignored' | 'refused') =>
  sources.reduce((total, source) => total + source[field], 0);

/** Records of no known agent are listed under another name; those of other known agents are not meant. */
const unknownOf = (agent: string, sources: readonly Source[]) =>
  sum(
    sources.filter((source) => source.agent === agent || !(source.agent in AGENTS)),
    'ignored',
  );

export function baselineOf(agent: string, sources: readonly Source[], refusals: Refusals, nowMs: number): Baseline {
  const own = sources.filter((source) => source.agent === agent);
  return {
    atMs: nowMs,
    counted: sum(own, 'counted'),
    ignored: unknownOf(agent, sources),
    refused: sum(own, 'refused'),
    refusals: refusals.refused,
  };
}

/** What has become of the set-up since: counted usage comes before everything that went wrong. */
export function arrivalOf(
  agent: string,
  before: Baseline,
  now: { readonly sources: readonly Source[]; readonly refusals: Refusals; readonly nowMs: number },
): Arrival {
  const own = now.sources.filter((source) => source.agent === agent);
  const counted = sum(own, 'counted') - before.counted;
  if (counted > 0) return { state: 'arrived', counted, versions: own.map(({ version }) => version).filter(Boolean) };
  if (sum(own, 'refused') > before.refused) {
    return { state: 'refused', reason: own.find(({ lastReason }) => lastReason)?.lastReason ?? '' };
  }
  const ignored = unknownOf(agent, now.sources) - before.ignored;
  if (ignored > 0) return { state: 'unknown', ignored };
  if (now.refusals.refused > before.refusals) return { state: 'wrong-key', reason: now.refusals.reason ?? '' };
  return { state: now.nowMs - before.atMs > SILENT_AFTER_MS ? 'silent' : 'waiting' };
}
