export interface ErasedPerson {
  readonly id: string;
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
}

/** Empties every text of the value that contains the address or a name of the person. */
export function withoutPerson(value: unknown, person: ErasedPerson): unknown {
  const pattern = patternOf(person);
  return pattern ? scrubbed(value, pattern) : value;
}

export function mentions(text: string | null, person: ErasedPerson): boolean {
  return text !== null && (patternOf(person)?.test(text) ?? false);
}

/** Words to search JSON text for: the person's id, and their address as JSON writes it; in lower case. */
export function searchedWords({ id, email }: ErasedPerson): string[] {
  return [id, ...(email === null ? [] : [JSON.stringify(email).slice(1, -1).toLowerCase()])];
}

/** Names count as whole words: "Ann" is not in "Annual". */
function patternOf({ email, firstName, lastName }: ErasedPerson): RegExp | null {
  const words = [email ?? '', firstName, lastName].filter((word) => word !== '');
  if (words.length === 0) return null;
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'iu');
}

function scrubbed(value: unknown, pattern: RegExp): unknown {
  if (typeof value === 'string') return pattern.test(value) ? '' : value;
  if (Array.isArray(value)) return value.map((inner) => scrubbed(inner, pattern));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, scrubbed(inner, pattern)]));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'); // not "-", which may not be escaped outside of a class
}
