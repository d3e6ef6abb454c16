import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'organizations' })
export class OrganizationEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  /** The organization's id in SSO tokens. */
  @Column({ name: 'external_id', type: 'text', nullable: true })
  externalId: string | null;

  /** Filled and removed by `cli demo`; never chosen unless it is named, and closed to SSO. */
  @Column({ name: 'is_demo', type: 'boolean' })
  isDemo: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;
}
