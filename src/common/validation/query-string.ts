import { isStorableText } from './predicates.js';

/** A query string that could not be decoded; answered with 400 once the caller is known. */
export const MALFORMED_QUERY = Symbol('malformed query');

/** Stands for the values of a repeated name: no parameter accepts a list. */
export const REPEATED: readonly [] = Object.freeze([] as const);

/** Ten times more than any route has. */
export const MAX_QUERY_PAIRS = 100;

export type ParsedQuery = Record<string, string | typeof REPEATED> & { [MALFORMED_QUERY]?: true };

/** Strict; never throws, because it runs before authentication; takes linear time. */
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
