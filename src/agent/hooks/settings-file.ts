import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { z } from 'zod';
import { JsonTextError, parseJsonText, placeInJson } from './json-text.js';
import { flawsOf, pathText } from './settings-schema.js';

const MAX_SETTINGS_BYTES = 1024 * 1024;
const MAX_FLAWS = 5;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** `settings` is null when the file is missing or invalid. */
export interface SettingsFile<T> {
  readonly settings: T | null;
  readonly problems: readonly string[];
}

/** All or nothing: half of the wanted hooks may be worse than none. */
export function readSettingsFile<T>(file: string, schema: z.ZodType<T>): SettingsFile<T> {
  try {
    const text = readText(file);
    if (text === null) return { settings: null, problems: [] };
    const parsed = schema.safeParse(parseJsonText(text));
    if (parsed.success) return { settings: parsed.data, problems: [] };
    return { settings: null, problems: describe(file, text, parsed.error) };
  } catch (error) {
    const reason = error instanceof JsonTextError ? `is not valid JSON: ${error.message}` : reasonOf(error);
    return { settings: null, problems: [`${file} ${reason}. The whole file is left out.`] };
  }
}

function describe(file: string, text: string, error: z.ZodError): string[] {
  const flaws = flawsOf(error);
  const more = flaws.length > MAX_FLAWS ? ` (${flaws.length - MAX_FLAWS} more problems in this file)` : '';
  return flaws.slice(0, MAX_FLAWS).map(({ path, reason }, index, shown) => {
    const { line, column } = placeInJson(text, path);
    const what = path.length === 0 ? 'the document' : pathText(path);
    const end = index === shown.length - 1 ? more : '';
    return `${file}: line ${line}, column ${column}: ${what} ${reason}. The whole file is left out.${end}`;
  });
}

class UnusableFile extends Error {}

/** Never blocks on a pipe and reads at most MAX_SETTINGS_BYTES; null when there is no file. */
function readText(file: string): string | null {
  const descriptor = openExisting(file);
  if (descriptor === null) return null;
  try {
    if (!fstatSync(descriptor).isFile()) throw new UnusableFile('is not a regular file');
    const bytes = readUpTo(descriptor, MAX_SETTINGS_BYTES + 1);
    if (bytes.length > MAX_SETTINGS_BYTES) throw new UnusableFile(`is larger than ${MAX_SETTINGS_BYTES} bytes`);
    return decode(bytes);
  } finally {
    closeSync(descriptor);
  }
}

function openExisting(file: string): number | null {
  try {
    // O_NONBLOCK is undefined on Windows, despite its type.
    return openSync(file, constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function readUpTo(descriptor: number, limit: number): Buffer {
  const buffer = Buffer.allocUnsafe(limit);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, limit - length, null);
    length += count;
    if (count === 0 || length === limit) return buffer.subarray(0, length);
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new UnusableFile('is not UTF-8 text');
  }
}

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof UnusableFile ? message : `cannot be read (${message})`;
}
