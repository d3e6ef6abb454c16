import { isRecord } from '../shared/bounds.js';

const MAX_VALUES = 10_000;
/** For inputs that are too large to search: a path outside of every session. */
const TOO_MUCH = '/';
const PATH_WORDS = new Set(
  'path paths file files filename dir dirs directory directories folder folders cwd workdir uri uris url urls root roots source src destination dest target from to notebook'.split(
    ' ',
  ),
);
const GLOB_WORDS = new Set(['glob', 'globs', 'include', 'exclude', 'pattern', 'patterns']);
const GLOB_TOOL = /glob|find|list|^ls$/i;
const URL_OF_THE_WEB = /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i;
const PLAINLY_A_PATH = /^(?:[/~]|\.\.?[/\\]|[a-z]:[/\\])/i;

/** Values of fields with path-like names, and keys that look like paths. */
export function pathsOfInput(tool: string, input: unknown): string[] {
  const paths: string[] = [];
  const waiting: { key: string; value: unknown }[] = [{ key: '', value: input }];
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen === MAX_VALUES) return [TOO_MUCH];
    const { key, value } = waiting.pop() as { key: string; value: unknown };
    if (typeof value === 'string') {
      if (isPathKey(tool, key) && value !== '' && !URL_OF_THE_WEB.test(value)) paths.push(value);
    } else if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_VALUES)) waiting.push({ key, value: item });
    } else if (isRecord(value)) {
      for (const [name, item] of Object.entries(value).slice(0, MAX_VALUES)) {
        if (PLAINLY_A_PATH.test(name)) paths.push(name);
        waiting.push({ key: name, value: item });
      }
    }
  }
  return paths;
}

function isPathKey(tool: string, key: string): boolean {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  const last = words.split(/[^a-z0-9]+/).at(-1) ?? '';
  if (PATH_WORDS.has(last)) return true;
  return GLOB_WORDS.has(last) && (GLOB_TOOL.test(tool) || !last.startsWith('pattern'));
}
