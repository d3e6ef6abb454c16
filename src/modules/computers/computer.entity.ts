import { Column, Entity, PrimaryColumn } from 'typeorm';

export const PROVIDER_TYPES = ['byom', 'managed'] as const;
export const COMPUTER_STATUSES = ['provisioning', 'active', 'error'] as const;
export const STEP_IDS = ['create-computer', 'connect-agent'] as const;
export const ACCESS_KINDS = ['private', 'organization'] as const;
export const STEP_STATUSES = ['pending', 'in_progress', 'completed', 'failed'] as const;

/** Times in Unix milliseconds. */
export interface ProvisioningStep {
  id: (typeof STEP_IDS)[number];
  name: string;
  status: (typeof STEP_STATUSES)[number];
  error?: string;
  startedAt?: number;
  completedAt?: number;
}

/** One row of "computers". */
@Entity({ name: 'computers' })
export class ComputerEntity {
  @PrimaryColumn({ name: 'org_id', type: 'uuid' })
  orgId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  /** See `nameKey`; unique in the organization. */
  @Column({ name: 'name_key', type: 'text' })
  nameKey: string;

  @Column({ name: 'provider_type', type: 'text' })
  providerType: (typeof PROVIDER_TYPES)[number];

  @Column({ type: 'text', nullable: true })
  hostname: string | null;

  @Column({ name: 'remote_user', type: 'text', nullable: true })
  remoteUser: string | null;

  @Column({ type: 'text' })
  status: (typeof COMPUTER_STATUSES)[number];

  @Column({ name: 'provisioning_steps', type: 'jsonb' })
  provisioningSteps: ProvisioningStep[];

  @Column({ name: 'registered_by', type: 'uuid' })
  registeredBy: string;

  @Column({ type: 'text' })
  access: (typeof ACCESS_KINDS)[number];

  /** Whether literal secrets of the controls may be sent there. */
  @Column({ type: 'boolean' })
  trusted: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;
}

export function isOpenTo({ access, registeredBy }: Pick<ComputerEntity, 'access' | 'registeredBy'>, userId: string) {
  return access === 'organization' || registeredBy === userId;
}

/** For comparison without letter case. Not lower() of Postgres, which depends on the database's locale. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
