import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The client's own files: `AGENT_PLATFORM_HOME`, else `.agent-platform` in the user's directory. */
export class AgentHome {
  constructor(
    readonly directory: string,
    /** The meaning of `~` in settings. */
    readonly userDirectory: string = homedir(),
  ) {}

  static fromEnv(env: NodeJS.ProcessEnv, userDirectory: string = homedir()): AgentHome {
    const directory = env.AGENT_PLATFORM_HOME?.trim() ?? '';
    return new AgentHome(directory === '' ? join(userDirectory, '.agent-platform') : resolve(directory), userDirectory);
  }

  get settingsFile(): string {
    return join(this.directory, 'settings.json');
  }

  get credentialsFile(): string {
    return join(this.directory, 'credentials.json');
  }
}
