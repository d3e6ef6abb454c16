import type { Session } from '../../api/sessions.js';

type Settings = NonNullable<Session['sessionSettings']>;

/** From the most careful on. */
export const LEVELS: Readonly<Record<string, string>> = {
  off: 'Off: reads only',
  low: 'Low: edits files',
  medium: 'Medium: most tools',
  high: 'High: everything',
} satisfies Record<NonNullable<Settings['autonomyLevel']>, string>;

export const MODES: Readonly<Record<string, string>> = {
  auto: 'Works at once',
  spec: 'Plans first (spec)',
  agi: 'On its own (agi)',
  mission: 'Mission',
} satisfies Record<NonNullable<Settings['interactionMode']>, string>;

/** Those up to the organization's highest. */
export function levelsUpTo(max: string): Record<string, string> {
  const names = Object.keys(LEVELS);
  return Object.fromEntries(Object.entries(LEVELS).slice(0, names.indexOf(max) + 1 || names.length));
}
