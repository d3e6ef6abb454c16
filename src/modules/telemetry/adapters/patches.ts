import { extensionOf, file, type EventDraft } from './facts.js';

const FILE_LINE = /^\*\*\* (Add|Update) File: (.+)$/gm;
const MAX_FILES = 500;

/** The files that an `apply_patch` patch adds and updates. */
export function patchFacts(patch: string): EventDraft[] {
  if (!patch.includes('*** Begin Patch')) return [];
  return [...patch.matchAll(FILE_LINE)]
    .slice(0, MAX_FILES)
    .map(([, verb, path]) => file(verb === 'Add' ? 'file_created' : 'file_edited', extensionOf((path ?? '').trim())));
}
