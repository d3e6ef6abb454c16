import { createHash } from 'node:crypto';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One row of "user_identities": a person of the company's SSO, known by issuer and subject, and the user they are. */
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

/** What is kept of the subject of an erased user, who may be named in it: enough to keep refusing their tokens. */
export function erasedSubject(issuer: string, subject: string): string {
  return `erased:${createHash('sha256').update(`${issuer}\n${subject}`).digest('base64url')}`;
}
