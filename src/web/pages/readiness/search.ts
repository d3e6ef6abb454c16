export const SHOWN = { repositories: 'Repository', criteria: 'Criterion' } as const;

/** The part of the address that is this page's own. */
export interface ReadinessSearch {
  readonly show?: keyof typeof SHOWN;
  readonly find?: string | undefined;
}

export function readReadinessSearch(raw: Record<string, unknown>): { show: keyof typeof SHOWN; find: string } {
  return {
    show: raw.show === 'criteria' ? 'criteria' : 'repositories',
    find: typeof raw.find === 'string' ? raw.find : '',
  };
}

/** Every word is in the text. */
export function isFound(text: string, find: string): boolean {
  const within = text.toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}
