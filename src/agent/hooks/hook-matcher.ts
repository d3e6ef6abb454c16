import { createContext, Script } from 'node:vm';

export const MAX_MATCHER_LENGTH = 500;
/** Longer names are cut. */
const MAX_SUBJECT_LENGTH = 200;
const MAX_MATCH_MS = 50;

/** Names, each with an optional `.*`: most matchers, which need no regular expression. */
const PLAIN = /^[\w-]+(?:\.\*)?(?:\|[\w-]+(?:\.\*)?)*$/;

const context = createContext({ pattern: /x/, subject: '' });
const script = new Script('pattern.test(subject)');

/** Null when valid. */
export function matcherProblem(matcher: string): string | null {
  if (matcher.length > MAX_MATCHER_LENGTH) return `is longer than ${MAX_MATCHER_LENGTH} characters`;
  if (matcher === '*') return null;
  try {
    new RegExp(matcher, 's');
    return null;
  } catch (error) {
    return `is not a regular expression (${error instanceof Error ? error.message : String(error)})`;
  }
}

export class HookMatcher {
  private readonly matches: (subject: string) => boolean;
  private isTooSlow = false;

  /** `warn` is called once, when the expression is too slow. */
  constructor(
    private readonly matcher: string,
    private readonly warn: (message: string) => void,
  ) {
    this.matches = toPredicate(matcher);
  }

  /** Matches the whole name. An expression that is too slow matches everything: better to run a guard too often. */
  fits(name: string): boolean {
    if (this.isTooSlow) return true;
    try {
      return this.matches(name.slice(0, MAX_SUBJECT_LENGTH));
    } catch {
      this.isTooSlow = true;
      this.warn(
        `The hook matcher "${this.matcher}" takes too long to evaluate; its hooks run for every name from now on.`,
      );
      return true;
    }
  }
}

function toPredicate(matcher: string): (subject: string) => boolean {
  if (matcher === '' || matcher === '*') return () => true;
  if (PLAIN.test(matcher)) {
    const names = matcher.split('|');
    return (subject) =>
      names.some((name) => (name.endsWith('.*') ? subject.startsWith(name.slice(0, -2)) : subject === name));
  }
  const pattern = new RegExp(`^(?:${matcher})$`, 's');
  return (subject) => {
    Object.assign(context, { pattern, subject });
    return script.runInContext(context, { timeout: MAX_MATCH_MS }) === true;
  };
}
