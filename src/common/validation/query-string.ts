import { isStorableText } from './predicates.js';

/** Marks a query string that could not be decoded; validation turns it into a 400 once the caller is known. */
export const MALFORMED_QUERY = Symbol('malformed query');

/** Stands for the values of a repeated name, however many there are: no parameter accepts a list. */
export const REPEATED: readonly [] = Object.freeze([] as const);

/** No route has a tenth of that. */
export const MAX_QUERY_PAIRS = 100;

export type ParsedQuery = Record<string, string | typeof REPEATED> & { [MALFORMED_QUERY]?: true };

/**
 * Strict parser for query strings. Never throws, because it runs before the caller is known; never guesses: a repeated
 * name has no value, and an escape that is not UTF-8 or too many pairs mark the whole string as malformed. Anybody can
 * send 16 KiB of this, so its cost must stay linear.
 */
export function parseQueryString(text: string): ParsedQuery {
  const query = Object.create(null) as ParsedQuery;
  const pairs = text === '' ? [] : text.split('&', MAX_QUERY_PAIRS + 1);
  if (pairs.length > MAX_QUERY_PAIRS) {
    query[MALFORMED_QUERY] = true;
    return query;
  }
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === null || value === null) query[MALFORMED_QUERY] = true;
    else query[name] = query[name] === undefined ? value : REPEATED;
  }
  return query;
}

function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return isStorableText(decoded) ? decoded : null;
  } catch {
    return null;
  }
}
