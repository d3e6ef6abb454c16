import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Role } from '../../../common/access/role.enum.js';

@Entity({ name: 'users' })
export class UserEntity {
  @PrimaryColumn({ name: 'org_id', type: 'uuid' })
  orgId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** null: erased. */
  @Column({ type: 'text', nullable: true })
  email: string | null;

  @Column({ name: 'email_key', type: 'text', nullable: true })
  emailKey: string | null;

  @Column({ type: 'text' })
  role: Role;

  @Column({ name: 'first_name', type: 'text' })
  firstName: string;

  @Column({ name: 'last_name', type: 'text' })
  lastName: string;

  @Column({ type: 'jsonb' })
  metadata: object;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;

  @Column({ name: 'deactivated_at', type: 'timestamptz', precision: 3, nullable: true })
  deactivatedAt: Date | null;

  /** Rounded down to the hour. */
  @Column({ name: 'last_sign_in_at', type: 'timestamptz', precision: 3, nullable: true })
  lastSignInAt: Date | null;

  /** Key of the team that the SSO token named which changed it last; see `TeamClaimsService`. */
  @Column({ name: 'team_claim', type: 'text', nullable: true })
  teamClaim: string | null;

  /** When that token was issued. */
  @Column({ name: 'team_claimed_at', type: 'timestamptz', precision: 3, nullable: true })
  teamClaimedAt: Date | null;
}

/** For comparing addresses. Not lower() in SQL, which depends on the locale of the database. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
