import { existsSync } from 'node:fs';
import { AppConfig } from './app-config.js';
import { ConfigError } from './env-reader.js';

/** From the environment and, for variables that are not set, from the file `.env`. Exits when it is invalid. */
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
