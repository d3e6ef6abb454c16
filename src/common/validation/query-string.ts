/** Marks a query string that could not be decoded; validation turns it into a 400 once the caller is known. */
export const MALFORMED_QUERY = Symbol('malformed query');

export type ParsedQuery = Record<string, string | string[]> & { [MALFORMED_QUERY]?: true };

/**
 * Strict parser for query strings. Never throws, because it runs before the caller is known; never guesses: a repeated
 * name is a list (which no parameter accepts) and an escape that is not UTF-8 marks the whole string as malformed.
 */
export function parseQueryString(text: string): ParsedQuery {
  const query = Object.create(null) as ParsedQuery;
  for (const pair of text === '' ? [] : text.split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === null || value === null) {
      query[MALFORMED_QUERY] = true;
      continue;
    }
    const previous = query[name];
    query[name] = previous === undefined ? value : [previous, value].flat();
  }
  return query;
}

function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') || !decoded.isWellFormed() ? null : decoded;
  } catch {
    return null;
  }
}
