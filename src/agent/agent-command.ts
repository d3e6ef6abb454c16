import { fileURLToPath } from 'node:url';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcpDriver } from './acp/acp-driver.js';

export function agentCommand(given: readonly string[]): string[] {
  return given.length > 0 ? [...given] : [process.execPath, fileURLToPath(new URL('main.js', import.meta.url)), 'echo'];
}

/** Starts the agent once, in a temporary directory; returns why it cannot run sessions, or null. */
export async function findProblem(command: readonly string[], env: NodeJS.ProcessEnv): Promise<string | null> {
  const cwd = mkdtempSync(join(tmpdir(), 'agent-platform-check-'));
  const driver = new AcpDriver({
    command,
    cwd,
    env,
    onUpdate: () => undefined,
    onPermission: () => Promise.resolve({ allow: false }),
    onExit: () => undefined,
  });
  try {
    await driver.open({ resume: null });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await driver.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}
