const PREFIX = '#welcome=';

/** The secret of a one-time link, taken out of the address before anything else sees it; null: there is none. */
function takeSecret(): string | null {
  if (!window.location.hash.startsWith(PREFIX)) return null;
  const secret = window.location.hash.slice(PREFIX.length);
  window.history.replaceState(null, '', window.location.pathname + window.location.search);
  return secret;
}

/** Read once, when the console starts. */
export const linkSecret = takeSecret();
