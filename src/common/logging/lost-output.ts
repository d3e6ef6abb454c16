import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

interface Output {
  on(event: 'error', listener: () => void): unknown;
}

/** These would fail again; `flushSync` of the logger's stream would even retry forever. */
const ATTEMPTS = ['write', 'flushSync', 'end', 'destroy'];
const TERMINALS = [0, 1, 2].filter((descriptor) => isatty(descriptor));

/** When the terminal or the pipe is closed, output is dropped instead of ending the process. */
export function ignoreLostOutput(stream: Output): void {
  stream.on('error', () => {
    Object.assign(stream, Object.fromEntries(ATTEMPTS.map((name) => [name, () => true])));
  });
}

/** At exit Node restores its terminals, and aborts if one was closed; a closed descriptor is skipped. */
export function exit(status: number): never {
  for (const descriptor of TERMINALS) if (!isatty(descriptor)) closeSync(descriptor);
  process.exit(status);
}
