import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { z } from 'zod';

/*
 * Updates of agents, parsed leniently: agents are ahead of the protocol, and behind it. An invalid field counts as
 * absent, an invalid or unknown update is skipped.
 */

const optional = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);
const listOf = <T extends z.ZodType>(item: T) =>
  optional(z.array(item.nullable().catch(null)).transform((items) => items.filter((one) => one !== null)));

const Meta = optional(z.record(z.string(), z.unknown()));

export const TOOL_KINDS = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
] as const;

const Content = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string() }),
  z.looseObject({
    type: z.literal('resource'),
    resource: z.union([
      z.looseObject({ uri: z.string(), text: z.string() }),
      z.looseObject({ uri: z.string(), blob: z.string() }),
    ]),
  }),
]);

const Chunk = { content: Content, messageId: optional(z.string()), _meta: Meta };

const ToolContent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('content'), content: Content }),
  z.looseObject({
    type: z.literal('diff'),
    path: z.string(),
    oldText: optional(z.string()),
    newText: z.string().catch(''),
    _meta: Meta,
  }),
  z.looseObject({ type: z.literal('terminal'), terminalId: z.string() }),
]);

const ToolCallFields = {
  toolCallId: z.string().min(1),
  title: optional(z.string()),
  name: optional(z.string()),
  kind: optional(z.enum(TOOL_KINDS)),
  status: optional(z.enum(['pending', 'in_progress', 'completed', 'failed'])),
  content: listOf(ToolContent),
  locations: listOf(z.looseObject({ path: z.string() })),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: Meta,
};

const Update = z.discriminatedUnion('sessionUpdate', [
  z.looseObject({ sessionUpdate: z.literal('user_message_chunk'), ...Chunk }),
  z.looseObject({ sessionUpdate: z.literal('agent_message_chunk'), ...Chunk }),
  z.looseObject({ sessionUpdate: z.literal('agent_thought_chunk'), ...Chunk }),
  z.looseObject({ sessionUpdate: z.literal('tool_call'), ...ToolCallFields, title: z.string().catch('') }),
  z.looseObject({ sessionUpdate: z.literal('tool_call_update'), ...ToolCallFields }),
  z.looseObject({
    sessionUpdate: z.literal('available_commands_update'),
    availableCommands: z
      .array(z.looseObject({ name: z.string() }).nullable().catch(null))
      .transform((commands) => commands.filter((command) => command !== null)),
  }),
  z.looseObject({ sessionUpdate: z.literal('current_mode_update'), currentModeId: z.string() }),
  z.looseObject({ sessionUpdate: z.literal('config_option_update'), configOptions: z.array(z.unknown()) }),
  z.looseObject({
    sessionUpdate: z.enum([
      'plan',
      'session_info_update',
      'usage_update',
      'notice',
      'compaction_update',
      'compaction_summary_chunk',
    ]),
  }),
]);

const Notification = z.looseObject({ sessionId: z.string(), update: z.unknown() });

/** null when there is no valid update. */
export function readUpdate(params: unknown): { readonly sessionId: string; readonly update: SessionUpdate } | null {
  const notification = Notification.safeParse(params);
  if (!notification.success) return null;
  const update = Update.safeParse(notification.data.update);
  if (!update.success) return null;
  // Laxer than the protocol's types where it does not matter here: plans, options, annotations.
  return { sessionId: notification.data.sessionId, update: update.data as unknown as SessionUpdate };
}
