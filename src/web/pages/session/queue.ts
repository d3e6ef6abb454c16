import type { SessionStatus } from '../../api/sessions.js';
import { type Entry, isMessage } from './transcript.js';

/**
 * The messages of the user that wait for the agent. The API has no turns: they follow from what was answered.
 * `lastAtStart`: the newest message when the running turn began; null when that was not heard.
 */
export function queuedOf(
  entries: readonly Entry[],
  status: SessionStatus,
  lastAtStart: string | null,
): ReadonlySet<string> {
  if (status === 'idle') return new Set();
  const waiting: string[] = [];
  const answered = new Set<string>();
  let isAnotherAnswered = false;
  let hasStartedSince = lastAtStart === null;
  // Newest first, back to the last message that has an answer.
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    if (!entry) break;
    hasStartedSince ||= entry.id === lastAtStart;
    if (!isMessage(entry)) continue;
    if (entry.role === 'user') {
      if (answered.has(entry.id)) break;
      waiting.push(entry.id);
      isAnotherAnswered = answered.size > 0;
    } else if (entry.parentId !== undefined) answered.add(entry.parentId);
  }
  const isOldestAtWork = status === 'running' && !isAnotherAnswered && hasStartedSince;
  return new Set(isOldestAtWork ? waiting.slice(0, -1) : waiting);
}
