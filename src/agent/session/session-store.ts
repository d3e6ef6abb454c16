import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Remembers what agents call the sessions of the platform, so that they can go on with them after a restart. */
export class SessionStore {
  constructor(private readonly directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  find(sessionId: string): string | null {
    try {
      return readFileSync(join(this.directory, sessionId), 'utf8') || null; // empty: it died while it wrote
    } catch {
      return null;
    }
  }

  put(sessionId: string, agentSessionId: string): void {
    writeFileSync(join(this.directory, sessionId), agentSessionId, { mode: 0o600 });
  }
}
