import { type HookEvent, isBlockable } from './hook-events.js';
import type { HookProcessResult } from './hook-process.js';
import { commandLine, printable, shortened } from './printable.js';

const MAX_REASON_LENGTH = 4_000;
const MAX_WARNING_LENGTH = 500;
const MAX_NAMED_COMMAND_LENGTH = 80;
const BLOCKED = 2;

export interface HookVerdict {
  /** Null when it does not block. */
  readonly blockReason: string | null;
  readonly warning: string | null;
  /** Text for the agent. */
  readonly context: string;
}

const FINE: HookVerdict = { blockReason: null, warning: null, context: '' };

interface RunCommand {
  readonly event: HookEvent;
  readonly command: string;
  readonly timeoutSeconds: number;
}

export function judgeHook(hook: RunCommand, result: HookProcessResult): HookVerdict {
  const { exitCode, stdout, stderr } = result;
  if (result.error !== undefined || result.timedOut || exitCode === null) return warning(hook, failureOf(hook, result));
  if (exitCode === BLOCKED) return objection(hook, stderr, 'exited with 2');
  if (exitCode !== 0) return warning(hook, withFirstLine(`exited with ${exitCode}`, stderr));

  const answer = toAnswer(stdout);
  if (answer === null) return { ...FINE, context: contextOf(hook.event, stdout) };
  const reason = blockReasonOf(hook.event, answer);
  if (reason !== null) return objection(hook, reason, 'decided to block');
  return { ...FINE, context: contextOf(hook.event, specificOf(answer).additionalContext) };
}

function failureOf({ timeoutSeconds }: RunCommand, { error, timedOut, signal, stderr }: HookProcessResult): string {
  if (error !== undefined) return `did not run to its end: ${error}`;
  if (timedOut) return withFirstLine(`was killed after its timeout of ${timeoutSeconds} s`, stderr);
  return withFirstLine(`was ended by ${signal ?? 'an unknown signal'}`, stderr);
}

/** In events that cannot be blocked, the objection becomes a warning. */
function objection(hook: RunCommand, text: string, what: string): HookVerdict {
  if (!isBlockable(hook.event)) {
    return warning(hook, withFirstLine(`${what}, which blocks nothing in this event`, text));
  }
  const reason = printable(text).trim() || `Blocked by the hook ${named(hook)}.`;
  return { ...FINE, blockReason: shortened(reason, MAX_REASON_LENGTH) };
}

function warning(hook: RunCommand, text: string): HookVerdict {
  const message = `The ${hook.event} hook ${named(hook)} ${text}`;
  return { ...FINE, warning: shortened(message, MAX_WARNING_LENGTH) };
}

function named({ command }: RunCommand): string {
  return `"${commandLine(command, MAX_NAMED_COMMAND_LENGTH)}"`;
}

function withFirstLine(text: string, output: string): string {
  const [line = ''] = printable(output).trimStart().split('\n');
  return line === '' ? text : `${text}: ${line.trimEnd()}`;
}

type Answer = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object that a hook may print in addition to its exit code. */
function toAnswer(stdout: string): Answer | null {
  if (!stdout.trimStart().startsWith('{')) return null;
  try {
    const answer: unknown = JSON.parse(stdout);
    return isObject(answer) ? answer : null;
  } catch {
    return null;
  }
}

function specificOf({ hookSpecificOutput }: Answer): Answer {
  return isObject(hookSpecificOutput) ? hookSpecificOutput : {};
}

/** Empty when it blocks without a reason. */
function blockReasonOf(event: HookEvent, answer: Answer): string | null {
  const specific = specificOf(answer);
  if (event === 'PreToolUse' && specific.permissionDecision === 'deny') return text(specific.permissionDecisionReason);
  if (answer.decision === 'block') return text(answer.reason);
  if (answer.continue === false && (event === 'PreToolUse' || event === 'UserPromptSubmit')) {
    return text(answer.stopReason);
  }
  return null;
}

function contextOf(event: HookEvent, value: unknown): string {
  return event === 'UserPromptSubmit' || event === 'SessionStart' ? printable(text(value)).trim() : '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
