import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Of the package to which this file belongs, however deep it was compiled to. */
export const VERSION = (JSON.parse(readFileSync(packageFile(import.meta.dirname), 'utf8')) as { version: string })
  .version;

function packageFile(directory: string): string {
  const file = join(directory, 'package.json');
  if (existsSync(file)) return file;
  if (directory === dirname(directory)) throw new Error('There is no package.json above the program.');
  return packageFile(dirname(directory));
}
