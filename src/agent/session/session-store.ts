import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Maps sessions of the platform to those of agents, so that they can be resumed after a restart. */
export class SessionStore {
  constructor(private readonly directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  find(sessionId: string): string | null {
    try {
      return readFileSync(join(this.directory, sessionId), 'utf8') || null; // empty: the client died while writing
    } catch {
      return null;
    }
  }

  put(sessionId: string, agentSessionId: string): void {
    writeFileSync(join(this.directory, sessionId), agentSessionId, { mode: 0o600 });
  }
}
