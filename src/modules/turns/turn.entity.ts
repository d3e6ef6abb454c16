/** One row of "turns". An interface, because its statements are plain SQL that TypeORM takes no part in. */
export interface TurnEntity {
  orgId: string;
  sessionId: string;
  /** The message that the turn answers. */
  messageId: string;
  computerId: string;
  status: 'queued' | 'running' | 'ended';
  /** 0 until an agent begins it for the first time. */
  attempt: number;
  /** Set while it runs: without a renewal until then, the agent is taken for dead. */
  leaseUntil: Date | null;
  /** Whether the present attempt has written a message of a tool. */
  hasToolMessage: boolean;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  endReason: string | null;
}
