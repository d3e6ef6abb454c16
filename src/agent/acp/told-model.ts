import { z } from 'zod';

/**
 * Claude Code's own messages at the start of a turn, with the model, and at its end, with all tokens. Over ACP it names an
 * alias, and counts neither subagents nor turns that were cut off.
 */
export const TOLD_METHOD = '_claude/sdkMessage';
export const TOLD_MESSAGES = [{ type: 'system', subtype: 'init' }, { type: 'result' }];

const Told = z.object({
  message: z.object({ type: z.literal('system'), subtype: z.literal('init'), model: z.string().min(1) }),
});

/** null when the parameters tell no model. */
export function readToldModel(params: unknown): string | null {
  const told = Told.safeParse(params);
  return told.success ? told.data.message.model : null;
}
