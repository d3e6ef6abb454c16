import type { HookEvent, HookInput } from './hook-events.js';

export function sampleInput(event: HookEvent, cwd: string, tool: string): HookInput {
  const common = {
    session_id: '00000000-0000-4000-8000-000000000000',
    cwd,
    permission_mode: 'auto-low',
  } as const;
  const call = { tool_name: tool, tool_input: { file_path: `${cwd}/example.txt`, old_string: 'a', new_string: 'b' } };
  switch (event) {
    case 'Notification':
      return { hook_event_name: event, ...common, message: 'The agent waits for your input' };
    case 'Stop':
    case 'SubagentStop':
      return { hook_event_name: event, ...common, stop_hook_active: false };
    case 'SessionEnd':
      return { hook_event_name: event, ...common, reason: 'other' };
    case 'PreToolUse':
      return { hook_event_name: event, ...common, ...call };
    case 'PostToolUse':
      return { hook_event_name: event, ...common, ...call, tool_response: { success: true } };
    case 'SessionStart':
      return { hook_event_name: event, ...common, source: 'startup' };
    case 'UserPromptSubmit':
      return { hook_event_name: event, ...common, prompt: 'Say hello.' };
    case 'PreCompact':
      return { hook_event_name: event, ...common, trigger: 'manual', custom_instructions: '' };
  }
}
