/** Lists everything that is wrong with the configuration. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Reads typed variables and collects all problems instead of stopping at the first. An empty variable counts as not
 * set, as in compose files with `${VAR:-}`.
 */
export class EnvReader {
  readonly problems: string[] = [];

  constructor(private readonly env: NodeJS.ProcessEnv) {}

  text(name: string): string | null {
    const value = this.env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }

  /** `parse` returns null for an invalid value. */
  parsed<T>(name: string, allowed: string, parse: (value: string) => T | null): T | null {
    const value = this.text(name);
    if (value === null) return null;
    const result = parse(value);
    if (result === null) this.problem(name, `must be ${allowed}, but is ${shown(name, value)}`);
    return result;
  }

  integer(name: string, min: number, max: number): number | null {
    return this.parsed(name, `a whole number from ${min} to ${max}`, (value) => {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
      return number >= min && number <= max ? number : null;
    });
  }

  boolean(name: string): boolean | null {
    return this.parsed(name, 'true or false', (value) => (value === 'true' ? true : value === 'false' ? false : null));
  }

  oneOf<const T extends string>(name: string, choices: readonly T[]): T | null {
    return this.parsed(name, `one of ${choices.join(', ')}`, (value) => choices.find((c) => c === value) ?? null);
  }

  url(name: string, protocols: readonly string[]): string | null {
    return this.parsed(name, `a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`, (value) => {
      const url = URL.canParse(value) ? new URL(value) : null;
      return url && protocols.includes(url.protocol) && url.hostname !== '' ? value : null;
    });
  }

  list(name: string): string[] {
    const items = (this.text(name) ?? '').split(',').map((item) => item.trim());
    return items.filter((item) => item !== '');
  }

  problem(name: string, message: string): void {
    this.problems.push(`${name} ${message}`);
  }

  finish(): void {
    if (this.problems.length > 0) throw new ConfigError(this.problems);
  }
}

/** Secrets are not shown: start-up errors end up in logs. */
function shown(name: string, value: string): string {
  if (/:\/\/[^/]*@/.test(value)) return 'something else';
  if (/KEY|SECRET|PASSWORD|DATABASE\w*URL/.test(name)) return 'something else';
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}
