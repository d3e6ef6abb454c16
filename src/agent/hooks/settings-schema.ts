import { z } from 'zod';
import { HOOK_EVENTS } from './hook-events.js';
import { matcherProblem } from './hook-matcher.js';
import type { JsonPath } from './json-text.js';

export const DEFAULT_TIMEOUT_SECONDS = 60;
/** Longer timeouts are shortened. */
export const MAX_TIMEOUT_SECONDS = 600;
/** The longest command that ingest counts. */
const MAX_COMMAND_LENGTH = 10_000;

/** Names the allowed keys when there is an unknown one; otherwise the expected value. */
function expecting(what: string, keys: readonly string[]): { error: (issue: { code?: string }) => string } {
  const allowed = `allowed are ${keys.join(', ')}`;
  return { error: ({ code }) => (code === 'unrecognized_keys' ? `is unknown; ${allowed}` : `must be ${what}`) };
}

const TIMEOUT = `must be a number of seconds above 0 (default ${DEFAULT_TIMEOUT_SECONDS}, at most ${MAX_TIMEOUT_SECONDS} are used)`;

const HookCommand = z.strictObject(
  {
    type: z.literal('command', 'must be "command"'),
    command: z
      .string('must be a string with a shell command')
      .max(MAX_COMMAND_LENGTH, `is longer than ${MAX_COMMAND_LENGTH} characters; put it into a script`)
      .refine((command) => command.trim() !== '' && !command.includes('\0'), 'must be a shell command, not empty'),
    timeout: z
      .number(TIMEOUT)
      .positive(TIMEOUT)
      .transform((seconds) => Math.min(seconds, MAX_TIMEOUT_SECONDS))
      .default(DEFAULT_TIMEOUT_SECONDS),
  },
  expecting('an object with type, command and perhaps timeout', ['type', 'command', 'timeout']),
);

const HookEntry = z.strictObject(
  {
    matcher: z
      .string('must be a string: a regular expression, or * for all')
      .superRefine((matcher, context) => {
        const problem = matcherProblem(matcher);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
      })
      .default(''),
    hooks: z.array(HookCommand, 'must be a list of commands'),
  },
  expecting('an object with hooks and perhaps matcher', ['matcher', 'hooks']),
);

const Event = z.array(HookEntry, 'must be a list of objects with hooks and perhaps matcher').default([]);

const Hooks = z.strictObject(
  {
    Notification: Event,
    Stop: Event,
    SubagentStop: Event,
    SessionEnd: Event,
    PostToolUse: Event,
    SessionStart: Event,
    UserPromptSubmit: Event,
    PreToolUse: Event,
    PreCompact: Event,
  } satisfies Record<(typeof HOOK_EVENTS)[number], typeof Event>,
  expecting('an object with an event name for each key', HOOK_EVENTS),
);

/** Other keys of the file are ignored. */
export const ProjectSettings = z.object({ hooks: Hooks.prefault({}) }, 'must be an object');
export type ProjectSettings = z.infer<typeof ProjectSettings>;

const TRUSTED = 'must be the absolute path of a directory; it may begin with ~/';

/** Only in the user's own file. */
export const UserSettings = z.object(
  {
    ...ProjectSettings.shape,
    hooksDisabled: z.boolean('must be true or false').default(false),
    trustedDirectories: z
      .array(
        z.string(TRUSTED).refine((path) => /^(?:\/|~$|~[/\\]|[A-Za-z]:[/\\]|\\\\)/.test(path), TRUSTED),
        'must be a list of directories',
      )
      .default([]),
  },
  'must be an object',
);
export type UserSettings = z.infer<typeof UserSettings>;

export interface Flaw {
  readonly path: JsonPath;
  readonly reason: string;
}

export function flawsOf(error: z.ZodError): Flaw[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [null];
    return keys.map((key) => ({ path: key === null ? path : [...path, key], reason: issue.message }));
  });
}

/** For example `hooks.Stop[0].timeout`. */
export function pathText(path: JsonPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const key = /^[\w-]+$/.test(part) ? part : JSON.stringify(part.slice(0, 100));
    return text === '' ? key : `${text}.${key}`;
  }, '');
}
