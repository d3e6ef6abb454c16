const MAX_NAME_LENGTH = 200;
const CONTROL_CHARACTERS = /\p{Cc}/gu;
const NEEDS_CLEANING = /\p{Cc}|^\s|\s$/u;
/** Fast path: matches nearly every name without the costly Unicode classes. */
const PLAIN_NAME = /^[!-~](?:[ -~]{0,198}[!-~])?$/;
const PLAIN_TOOL_NAME = /^\w[\w.:/@ -]*$/;
const TOOL_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/@ -]*$/u;
const UNKNOWN_TOOL = 'unknown';

/** Without control characters, trimmed, at most MAX_NAME_LENGTH characters. */
export function cleanName(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  const clean = NEEDS_CLEANING.test(name) ? name.replace(CONTROL_CHARACTERS, '').trim() : name;
  return clean.length <= MAX_NAME_LENGTH ? clean : [...clean].slice(0, MAX_NAME_LENGTH).join('').trimEnd();
}

/** Anything that is no tool name, such as part of a command line, counts as `unknown`. */
export function cleanToolName(name: string): string {
  const clean = cleanName(name);
  return PLAIN_TOOL_NAME.test(clean) || TOOL_NAME.test(clean) ? clean : UNKNOWN_TOOL;
}

/** In lower case with the leading dot; `(none)` when there is none. */
export function cleanExtension(extension: string): string {
  const bare = cleanName(extension).replace(/^\.+/, '').toLowerCase();
  return bare === '' || bare === '(none)' ? NO_EXTENSION : `.${bare}`;
}

export const NO_EXTENSION = '(none)';
