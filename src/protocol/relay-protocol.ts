import { z } from 'zod';
import { KnownBlock } from './content-blocks.js';

/*
 * The messages between a computer's agent and the service; docs/relay.md explains them. The agent calls hello, turn.*,
 * message.put and usage.report; the service calls turn.start and sends turn.cancel and bye.
 */

export const RELAY_PROTOCOL = 1;

/** Larger frames close the connection. Turns carry attachments, so frames to the agent may be larger. */
export const MAX_FRAME_BYTES_TO_SERVICE = 8 * 1024 * 1024;
export const MAX_FRAME_BYTES_TO_AGENT = 64 * 1024 * 1024;
/** As JSON. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** JSON values in a frame to the service, counted before parsing. Large messages are long texts, not many values. */
export const MAX_FRAME_VALUES = 50_000;
/** Of all messages in a frame. */
const MAX_BLOCKS = 5_000;
export const MAX_USAGE_EVENTS = 500;
export const MAX_SLOTS = 100;

/** In addition to the standard codes. */
export const CLOSE_CODE = {
  /** The service stops; reconnect. */
  goingAway: 1001,
  /** The credential was revoked, changed or expired, or a policy forbids the socket; a reconnect gets the reason. */
  credentialChanged: 4001,
  /** A newer connection of the same computer replaced this one; do not reconnect. */
  takenOver: 4002,
  /** Do not reconnect. */
  computerDeleted: 4003,
  protocolError: 4004,
  /** No heartbeat; reconnect. */
  silent: 4005,
} as const;

/** Checks the length before the items. */
const listOf = <T extends z.ZodType>(item: T, min: number, max: number) =>
  z.array(z.unknown()).min(min).max(max).pipe(z.array(item));

const Uuid = z.uuid().transform((id) => id.toLowerCase());
const Name = z.string().min(1).max(200);

/** One attempt at a turn; messages of an earlier attempt are refused. */
export const TurnRef = z.strictObject({ sessionId: Uuid, messageId: Uuid, attempt: z.number().int().min(1) });
export type TurnRef = z.infer<typeof TurnRef>;

/** Identifies one attempt at a turn in maps and sets. */
export function turnKey({ sessionId, messageId, attempt }: TurnRef): string {
  return `${sessionId} ${messageId} ${attempt}`;
}

export const ContentBlock = z.object({ type: z.string().min(1).max(50) }).catchall(z.unknown());
export type ContentBlock = z.infer<typeof ContentBlock>;

const MessageBlock = ContentBlock.superRefine((block, context) => {
  for (const { message, path } of KnownBlock.safeParse(block).error?.issues ?? []) {
    context.addIssue({ code: 'custom', message, path });
  }
});

/** A message with a known id replaces the stored one. */
export const RelayMessage = z.strictObject({
  id: Uuid,
  role: z.enum(['assistant', 'tool', 'system']),
  content: listOf(MessageBlock, 1, 1_000),
  isError: z.boolean().optional(),
  visibility: z.enum(['both', 'llm_only', 'user_only']).optional(),
  parentId: Uuid.optional(),
});
export type RelayMessage = z.infer<typeof RelayMessage>;

const blocksIn = (messages: unknown[]) =>
  messages.reduce<number>((sum, message) => {
    const content = (message as { content?: unknown } | null)?.content;
    return sum + (Array.isArray(content) ? content.length : 0);
  }, 0);

const messageList = (min: number) =>
  z
    .array(z.unknown())
    .min(min)
    .max(100)
    .refine((messages) => blocksIn(messages) <= MAX_BLOCKS, `at most ${MAX_BLOCKS} blocks in all`)
    .pipe(z.array(RelayMessage));

export const END_REASONS = [
  'completed',
  'cancelled',
  'refused',
  'max_tokens',
  'max_turn_requests',
  'error',
  'process_exit',
  'blocked_by_hook',
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** A usage event without user and session, which the service knows. */
export const UsageReport = z
  .object({ id: Uuid, type: z.string().min(1).max(50), at: z.iso.datetime() })
  .catchall(z.unknown());
export type UsageReport = z.infer<typeof UsageReport>;

/** Common to all versions, so that any other version gets a proper error. */
export const AnyHello = z.looseObject({ protocol: z.number().int() });

export const HelloParams = z.strictObject({
  protocol: z.number().int(),
  agent: z.strictObject({ name: Name, version: Name }),
  hostname: z.string().max(255).optional(),
  /** Turns at a time. */
  slots: z.number().int().min(1).max(MAX_SLOTS),
  /** Turns begun and not ended; other running turns of this computer are expired. */
  turns: listOf(TurnRef, 0, 1_000),
  /** Shown as the computer's error. */
  problem: z.string().min(1).max(1_000).optional(),
});
export type HelloParams = z.infer<typeof HelloParams>;

export const HelloResult = z.object({
  protocol: z.number().int(),
  /** `registeredBy` is a user id; absent from earlier versions of the service. */
  computer: z.object({ id: z.string(), name: z.string(), registeredBy: z.string().optional() }),
  leaseSeconds: z.number().positive(),
  /** Unix milliseconds; the agent dates its reports by this clock. */
  now: z.number().int(),
  /** Turns of the request that do not belong to this agent any more. */
  lostTurns: z.array(TurnRef),
});
export type HelloResult = z.infer<typeof HelloResult>;

export const AgentControls = z
  .object({
    commandAllowlist: z.array(z.string()).optional(),
    commandDenylist: z.array(z.string()).optional(),
    mcpAutonomyOverrides: z.record(z.string(), z.unknown()).optional(),
  })
  .catchall(z.unknown());
export type AgentControls = z.infer<typeof AgentControls>;

/** With the limits of the organization applied. */
export const TurnSettings = z
  .object({
    model: z.string().optional(),
    reasoningEffort: z.string().optional(),
    interactionMode: z.enum(['auto', 'spec', 'agi', 'mission']).optional(),
    autonomyLevel: z.enum(['off', 'low', 'medium', 'high']).optional(),
    enabledToolIds: z.array(z.string()).optional(),
    disabledToolIds: z.array(z.string()).optional(),
  })
  .catchall(z.unknown());
export type TurnSettings = z.infer<typeof TurnSettings>;

export const TurnStart = z.object({
  ...TurnRef.shape,
  /** A user id; absent from earlier versions of the service. */
  userId: Uuid.optional(),
  content: z.array(ContentBlock),
  settings: TurnSettings,
  controls: AgentControls,
});
export type TurnStart = z.infer<typeof TurnStart>;

export const AGENT_REQUESTS = {
  hello: { params: HelloParams, result: HelloResult },
  'turn.renew': {
    params: z.strictObject({ turns: listOf(TurnRef, 0, 1_000) }),
    result: z.object({ lostTurns: z.array(TurnRef) }),
  },
  'message.put': {
    params: z.strictObject({ turn: TurnRef, messages: messageList(1) }),
    result: z.object({}),
  },
  'usage.report': {
    params: z.strictObject({ sessionId: Uuid, events: listOf(UsageReport, 1, MAX_USAGE_EVENTS) }),
    result: z.object({ accepted: z.number(), duplicates: z.number(), rejectedCount: z.number() }),
  },
  'turn.end': {
    params: z.strictObject({
      turn: TurnRef,
      reason: z.enum(END_REASONS),
      /** Stored in the same transaction as the end. */
      messages: messageList(0).default([]),
    }),
    result: z.object({}),
  },
  /** Has the effect of an expired lease. */
  'turn.abandon': { params: z.strictObject({ turn: TurnRef }), result: z.object({}) },
} as const;

export const SERVICE_REQUESTS = {
  /** Answered when the agent has taken the turn. */
  'turn.start': { params: TurnStart, result: z.object({}) },
} as const;

export const SERVICE_NOTIFICATIONS = {
  'turn.cancel': TurnRef,
  /** Sent before the socket is closed. */
  bye: z.object({ reason: z.string() }),
} as const;

export const CLIENT_REQUESTS = {
  'session.follow': {
    /** `after`: id of the last event seen; default: new events only. */
    params: z.strictObject({ sessionId: Uuid, after: z.number().int().min(0).optional() }),
    result: z.object({}),
  },
  'session.unfollow': { params: z.strictObject({ sessionId: Uuid }), result: z.object({}) },
} as const;
