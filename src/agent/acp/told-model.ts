import { z } from 'zod';

/** Claude Code's own message at the start of a turn; its ACP options name an alias. */
export const TOLD_MODEL_METHOD = '_claude/sdkMessage';
export const TOLD_MODEL_MESSAGES = [{ type: 'system', subtype: 'init' }];

const Told = z.object({
  message: z.object({ type: z.literal('system'), subtype: z.literal('init'), model: z.string().min(1) }),
});

/** null when the parameters tell no model. */
export function readToldModel(params: unknown): string | null {
  const told = Told.safeParse(params);
  return told.success ? told.data.message.model : null;
}
