import { Column, Entity, PrimaryColumn } from 'typeorm';

export const API_KEY_SCOPES = ['full', 'telemetry'] as const;
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

/** One row of "api_keys". The key itself is stored nowhere; its hash finds it. */
@Entity({ name: 'api_keys' })
export class ApiKeyEntity {
  @PrimaryColumn({ name: 'org_id', type: 'uuid' })
  orgId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** Whose role the key carries. */
  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ type: 'text' })
  name: string;

  /** The first characters of the key, by which people tell their keys apart. */
  @Column({ type: 'text' })
  prefix: string;

  @Column({ name: 'key_hash', type: 'bytea' })
  keyHash: Buffer;

  /** What the key may be used for. */
  @Column({ type: 'text' })
  scope: ApiKeyScope;

  @Column({ name: 'created_by', type: 'uuid' })
  createdBy: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  /** The hour of the last use. */
  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;
}
