import { extensionOf, file, type Told } from './facts.js';

const FILE_LINE = /^\*\*\* (Add|Update) File: (.+)$/gm;
const MAX_FILES = 500;

/** The files that a patch in the form of `apply_patch` adds and updates. Of their text nothing is kept. */
export function patchFacts(patch: string): Told[] {
  if (!patch.includes('*** Begin Patch')) return [];
  return [...patch.matchAll(FILE_LINE)]
    .slice(0, MAX_FILES)
    .map(([, verb, path]) => file(verb === 'Add' ? 'file_created' : 'file_edited', extensionOf((path ?? '').trim())));
}
