/** Words of agents for "whatever is chosen for you"; which model that was, they do not say. */
const ALIASES = new Set('default auto unknown best sonnet opus haiku opusplan pro flash flash-lite'.split(' '));

/** A model's own name, without a variant in brackets as in `claude-opus-4-8[1m]`; `unknown` for an alias. */
export function realModelId(sent: string): string {
  const id = sent.trim().replace(/\[[^\]]*\]$/, '');
  const word = id.toLowerCase();
  return word === '' || ALIASES.has(word) || /^auto[-_]/.test(word) ? 'unknown' : id;
}
