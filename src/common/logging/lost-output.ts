import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

interface Output {
  on(event: 'error', listener: () => void): unknown;
}

/** Further attempts would fail as well; `flushSync` of the logger's stream would even go on trying for ever. */
const ATTEMPTS = ['write', 'flushSync', 'end', 'destroy'];
const TERMINALS = [0, 1, 2].filter((descriptor) => isatty(descriptor));

/** When the terminal was closed or nobody reads the pipe any more, what is written is lost, and nothing else. */
export function outliveReader(stream: Output): void {
  stream.on('error', () => {
    Object.assign(stream, Object.fromEntries(ATTEMPTS.map((name) => [name, () => true])));
  });
}

/** Node restores its terminal at exit, and aborts when that was closed: unless it has no terminal any more. */
export function exit(status: number): never {
  for (const descriptor of TERMINALS) if (!isatty(descriptor)) closeSync(descriptor);
  process.exit(status);
}
