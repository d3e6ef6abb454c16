/** One row of "turns". An interface, because its statements are plain SQL that TypeORM takes no part in. */
export interface TurnEntity {
  orgId: string;
  sessionId: string;
  messageId: string;
  computerId: string;
  status: 'queued' | 'running' | 'ended';
  /** 0 until an agent begins it for the first time. */
  attempt: number;
  /** Set while it runs; a turn that is not renewed until then expires. */
  leaseUntil: Date | null;
  hasToolMessage: boolean;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  endReason: string | null;
}
