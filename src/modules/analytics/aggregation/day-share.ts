import type { DirtyDay } from './aggregation-claims.repository.js';

/** A smaller share of a day is not worth a scan of its own. */
const MIN_SHARE_EVENTS = 100_000;
const MAX_SHARE_EVENTS = 6_000_000;
const MAX_ORGS_AT_ONCE = 2_000;
/** Lets a share exceed its part a little rather than leave a rest. */
const TOLERANCE = 1.05;

/** One part of `parts` by events, so that all sessions end together. One that has failed is computed alone. */
export function takeShare(due: readonly DirtyDay[], parts: number): DirtyDay[] {
  if (due[0] && due[0].failures > 0) return [due[0]];
  const healthy = due.filter(({ failures }) => failures === 0);
  const total = healthy.reduce((sum, { events }) => sum + events, 0);
  const limit = Math.min(Math.max(total / parts, MIN_SHARE_EVENTS), MAX_SHARE_EVENTS);
  const share: DirtyDay[] = [];
  let events = 0;
  for (const next of healthy.slice(0, MAX_ORGS_AT_ONCE)) {
    if (share.length > 0 && events + next.events > limit * TOLERANCE) continue;
    share.push(next);
    events += next.events;
  }
  return share;
}
