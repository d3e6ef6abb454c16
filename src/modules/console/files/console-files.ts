import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

export type FileEncoding = 'br' | 'gzip' | 'identity';

export interface ConsoleFile {
  readonly type: string;
  /** Without quotes. */
  readonly etag: string;
  /** Compressed by the build, never while somebody waits. */
  readonly bodies: ReadonlyMap<FileEncoding, Buffer>;
}

/** By path below `/console/`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

export const SHELL = 'index.html';

const COMPRESSED: Record<string, FileEncoding> = { '.br': 'br', '.gz': 'gzip' };
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Reads the built console into memory, about a megabyte: no path of a request ever reaches the file system, and a build that
 * replaces the files does not mix two versions. null: there is none.
 */
export function readConsoleFiles(directory: string): ConsoleFiles | null {
  if (!existsSync(join(directory, SHELL))) return null;
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
  const originals = names.filter((name) => !(extname(name) in COMPRESSED));
  return new Map(originals.map((name) => [name, readFile(directory, name)]));
}

function readFile(directory: string, name: string): ConsoleFile {
  const content = readFileSync(join(directory, name));
  const bodies = new Map<FileEncoding, Buffer>([['identity', content]]);
  for (const [extension, encoding] of Object.entries(COMPRESSED)) {
    const file = join(directory, name + extension);
    if (existsSync(file)) bodies.set(encoding, readFileSync(file));
  }
  const etag = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return { type: TYPES[extname(name)] ?? 'application/octet-stream', etag, bodies };
}
