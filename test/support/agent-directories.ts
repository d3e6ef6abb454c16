import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AgentHome } from '../../src/agent/shared/agent-home.js';

/** The directories of a machine: the user's home with the client's files, and one with projects. */
export class AgentDirectories {
  readonly base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'agent-hooks-')));
  readonly user = join(this.base, 'user');
  readonly home = new AgentHome(join(this.user, '.agent-platform'), this.user);
  readonly projects = this.directory('projects');

  directory(...path: string[]): string {
    const directory = join(this.base, ...path);
    fs.mkdirSync(directory, { recursive: true });
    return directory;
  }

  /** Strings are written as they are, anything else as JSON. */
  write(file: string, content: unknown): string {
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    return file;
  }

  userSettings(content: unknown): string {
    return this.write(this.home.settingsFile, content);
  }

  projectSettings(project: string, content: unknown): string {
    return this.write(join(project, '.agent-platform', 'settings.json'), content);
  }

  remove(): void {
    fs.rmSync(this.base, { recursive: true, force: true });
  }
}

export function oneHook(event: string, command: string, entry: { matcher?: string; timeout?: number } = {}) {
  const { matcher, timeout } = entry;
  return { hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command, timeout }] }] } };
}
