import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RequestClient } from '../../common/access/principal.js';
import type { SessionSettings } from './session-settings.js';

export const SESSION_STATUSES = ['idle', 'pending', 'running'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** One row of "sessions". */
@Entity({ name: 'sessions' })
export class SessionEntity {
  @PrimaryColumn({ name: 'org_id', type: 'uuid' })
  orgId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ name: 'computer_id', type: 'uuid' })
  computerId: string;

  /** Through which it was created. */
  @Column({ type: 'text' })
  client: RequestClient;

  @Column({ type: 'text', nullable: true })
  title: string | null;

  @Column({ type: 'text' })
  status: SessionStatus;

  @Column({ type: 'jsonb' })
  settings: SessionSettings;

  @Column({ name: 'message_count', type: 'integer' })
  messageCount: number;

  @Column({ name: 'input_tokens', type: 'bigint' })
  inputTokens: string;

  @Column({ name: 'output_tokens', type: 'bigint' })
  outputTokens: string;

  @Column({ name: 'cache_creation_tokens', type: 'bigint' })
  cacheCreationTokens: string;

  @Column({ name: 'cache_read_tokens', type: 'bigint' })
  cacheReadTokens: string;

  @Column({ name: 'thinking_tokens', type: 'bigint' })
  thinkingTokens: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt: Date;

  /** The end of the last turn; null while one runs or before the first. */
  @Column({ name: 'completed_at', type: 'timestamptz', precision: 3, nullable: true })
  completedAt: Date | null;
}
