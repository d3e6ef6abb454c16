import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { AgentHome } from './shared/agent-home.js';

const StoredComputer = z.object({
  /** Without a trailing slash. */
  url: z.string(),
  id: z.string(),
  name: z.string(),
  token: z.string(),
  /** An API key of scope `telemetry`, and its id. */
  telemetryKey: z.string().optional(),
  telemetryKeyId: z.string().optional(),
});
export type StoredComputer = z.infer<typeof StoredComputer>;

const File = z.object({ computers: z.array(StoredComputer) });

export interface WantedComputer {
  readonly url?: string;
  readonly name?: string;
  /** The name that is meant when several match and none was given. */
  readonly usualName: string;
}

/** The tokens of this machine, in a file that only its user can read. */
export class Credentials {
  constructor(private readonly home: AgentHome) {}

  /** Null when there is none; throws when several match. */
  find({ url, name, usualName }: WantedComputer): StoredComputer | null {
    const fitting = this.read().filter(
      (one) => (url === undefined || one.url === trimmed(url)) && (name === undefined || isSame(one.name, name)),
    );
    if (fitting.length < 2) return fitting[0] ?? null;
    const usual = fitting.filter((one) => isSame(one.name, usualName));
    if (usual.length === 1) return usual[0] ?? null;
    const list = fitting.map((one) => `"${one.name}" of ${one.url}`).join(', ');
    throw new Error(`This machine has tokens of several computers: ${list}. Say which one with --url and --name.`);
  }

  /** By its address and name. */
  of({ url, name }: Pick<StoredComputer, 'url' | 'name'>): StoredComputer | null {
    return this.read().find((one) => one.url === trimmed(url) && isSame(one.name, name)) ?? null;
  }

  put(computer: StoredComputer): void {
    const file = this.home.credentialsFile;
    const own = { ...computer, url: trimmed(computer.url) };
    const others = this.read().filter((one) => one.url !== own.url || !isSame(one.name, own.name));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Renamed into place: readers never see half a file, and the permissions are always those of the new one.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify({ computers: [...others, own] }, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  }

  private read(): StoredComputer[] {
    let text: string;
    try {
      text = readFileSync(this.home.credentialsFile, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    const file = File.safeParse(parsed(text));
    if (!file.success)
      throw new Error(`${this.home.credentialsFile} is broken; delete it and run "agent login" again.`);
    return file.data.computers;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
