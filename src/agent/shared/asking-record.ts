import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentHome } from './agent-home.js';
import { isRecord } from './bounds.js';

/** When an agent was last seen, as ISO 8601 text. */
export interface SeenAsking {
  readonly asked?: string;
  readonly actedUnasked?: string;
}

/** What sessions have seen of agents, by command line, for `agent doctor`. */
export class AskingRecord {
  private readonly file: string;
  private readonly noted = new Set<string>();

  constructor(home: AgentHome) {
    this.file = join(home.directory, 'agents', 'asking.json');
  }

  find(command: readonly string[]): SeenAsking {
    const seen = this.read()[command.join(' ')];
    return isRecord(seen) ? seen : {};
  }

  /** Once per process, kind and command. A file that cannot be written is no reason to stop a turn. */
  note(command: readonly string[], kind: keyof SeenAsking): void {
    const key = command.join(' ');
    if (this.noted.has(`${kind} ${key}`)) return;
    this.noted.add(`${kind} ${key}`);
    const seen = { ...this.read(), [key]: { ...this.find(command), [kind]: new Date().toISOString() } };
    try {
      mkdirSync(dirname(this.file), { recursive: true });
      writeFileSync(this.file, JSON.stringify(seen, null, 2));
    } catch {
      return;
    }
  }

  private read(): Record<string, unknown> {
    try {
      const seen: unknown = JSON.parse(readFileSync(this.file, 'utf8'));
      return isRecord(seen) ? seen : {};
    } catch {
      return {}; // nothing was seen yet
    }
  }
}
