import { existsSync } from 'node:fs';
import { AppConfig } from './app-config.js';
import { ConfigError } from './env-reader.js';

/** The configuration of this process: the environment, and for what it leaves open a file `.env`. Exits when it is bad. */
export function loadConfig(): AppConfig {
  if (existsSync('.env')) process.loadEnvFile('.env');
  try {
    return AppConfig.fromEnv(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`${error.message}\n\n.env.example lists every variable.`);
    process.exit(1);
  }
}
