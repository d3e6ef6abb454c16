export const HOOK_EVENTS = [
  'Notification',
  'Stop',
  'SubagentStop',
  'SessionEnd',
  'PostToolUse',
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PreCompact',
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

export function isHookEvent(name: string): name is HookEvent {
  return (HOOK_EVENTS as readonly string[]).includes(name);
}

/** Events in which a hook can still refuse what is about to happen. */
const BLOCKABLE: ReadonlySet<HookEvent> = new Set(['PreToolUse', 'UserPromptSubmit', 'Stop', 'SubagentStop']);

export function isBlockable(event: HookEvent): boolean {
  return BLOCKABLE.has(event);
}

export type PermissionMode = 'off' | 'spec' | 'auto-low' | 'auto-medium' | 'auto-high';

/** Fields beyond the common ones. */
interface OwnFields {
  Notification: { message: string };
  Stop: { stop_hook_active: boolean };
  SubagentStop: { stop_hook_active: boolean };
  /** An open list; the client itself uses `other` and `error`. */
  SessionEnd: { reason: string };
  PreToolUse: { tool_name: string; tool_input: unknown };
  PostToolUse: { tool_name: string; tool_input: unknown; tool_response: unknown };
  UserPromptSubmit: { prompt: string };
  PreCompact: { trigger: 'manual' | 'auto'; custom_instructions: string };
  SessionStart: { source: 'startup' | 'resume' | 'clear' | 'compact' };
}

/** The JSON on a hook's standard input. */
export type HookInputOf<E extends HookEvent> = E extends HookEvent
  ? { hook_event_name: E; session_id: string; cwd: string; permission_mode?: PermissionMode } & OwnFields[E]
  : never;
export type HookInput = HookInputOf<HookEvent>;

/** The text that matchers are applied to; null for events without matchers. */
export function matchedSubject(input: HookInput): string | null {
  switch (input.hook_event_name) {
    case 'PreToolUse':
    case 'PostToolUse':
      return input.tool_name;
    case 'PreCompact':
      return input.trigger;
    case 'SessionStart':
      return input.source;
    case 'Notification':
    case 'Stop':
    case 'SubagentStop':
    case 'SessionEnd':
    case 'UserPromptSubmit':
      return null;
  }
}
