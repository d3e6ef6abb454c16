import { Column, Entity, PrimaryColumn } from 'typeorm';

export const REASONING_EFFORTS = ['low', 'medium', 'high', 'off'] as const;

export interface CriterionEvaluation {
  numerator: number;
  denominator: number;
  rationale: string;
}

export type Criteria = Record<string, CriterionEvaluation>;

export interface ModelUsed {
  id: string;
  reasoningEffort: (typeof REASONING_EFFORTS)[number];
}

/** One row of "readiness_reports". Rows never change. */
@Entity({ name: 'readiness_reports' })
export class ReadinessReportEntity {
  @PrimaryColumn({ name: 'org_id', type: 'uuid' })
  orgId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** As it was sent. */
  @Column({ name: 'repo_url', type: 'text' })
  repoUrl: string;

  /** For comparing; see `repository-url.ts`. */
  @Column({ name: 'repo_key', type: 'text' })
  repoKey: string;

  @Column({ type: 'json' })
  apps: Record<string, { description: string }>;

  @Column({ type: 'json' })
  report: Criteria;

  @Column({ name: 'commit_hash', type: 'text', nullable: true })
  commitHash: string | null;

  @Column({ type: 'text', nullable: true })
  branch: string | null;

  @Column({ name: 'has_local_changes', type: 'boolean', nullable: true })
  hasLocalChanges: boolean | null;

  @Column({ name: 'has_non_remote_commits', type: 'boolean', nullable: true })
  hasNonRemoteCommits: boolean | null;

  @Column({ name: 'model_used', type: 'json', nullable: true })
  modelUsed: ModelUsed | null;

  @Column({ name: 'agent_version', type: 'text', nullable: true })
  agentVersion: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;
}
