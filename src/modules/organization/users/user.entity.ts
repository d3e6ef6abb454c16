import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Role } from '../../../common/access/role.enum.js';

/** One row of "users". */
@Entity({ name: 'users' })
export class UserEntity {
  @PrimaryColumn({ name: 'org_id', type: 'uuid' })
  orgId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** As it was given; null once it was erased. */
  @Column({ type: 'text', nullable: true })
  email: string | null;

  /** The form of the address that is compared: unique in the organization whatever the letter case. */
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

  /** The hour of the last authenticated use. */
  @Column({ name: 'last_sign_in_at', type: 'timestamptz', precision: 3, nullable: true })
  lastSignInAt: Date | null;
}

/** The form in which e-mail addresses are compared. Made here, because lower() depends on the database's locale. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
