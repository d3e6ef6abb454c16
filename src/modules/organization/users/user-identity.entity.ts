import { createHash } from 'node:crypto';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One row of "user_identities": links issuer and subject of SSO tokens to a user. */
@Entity({ name: 'user_identities' })
export class UserIdentityEntity {
  @PrimaryColumn({ name: 'org_id', type: 'uuid' })
  orgId: string;

  @PrimaryColumn({ type: 'text' })
  issuer: string;

  @PrimaryColumn({ type: 'text' })
  subject: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;
}

/** Replaces the subject of an erased user, which may name them; their tokens stay refused. */
export function erasedSubject(issuer: string, subject: string): string {
  return `erased:${createHash('sha256').update(`${issuer}\n${subject}`).digest('base64url')}`;
}
