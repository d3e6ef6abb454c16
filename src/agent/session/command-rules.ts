/** The words of each simple command in a line for a shell, as far as they can be told without running it. */
export function commandParts(command: string): string[][] {
  throw new Error(`to be written ${command}`);
}

/** The entry that allows all of the command, or null. Anything that is not plainly understood is not allowed. */
export function isAllowed(command: string, allowlist: readonly string[]): boolean {
  throw new Error(`to be written ${command} ${String(allowlist)}`);
}

/** The entry that forbids the command or a part of it, or null. In doubt it is forbidden. */
export function deniedBy(command: string, denylist: readonly string[]): string | null {
  throw new Error(`to be written ${command} ${String(denylist)}`);
}
