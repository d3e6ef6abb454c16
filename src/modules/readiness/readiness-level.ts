import type { CriterionCount } from './readiness-changes.js';

/** From level 1 to level 5. */
export const LEVEL_NAMES = ['Functional', 'Documented', 'Standardized', 'Optimized', 'Autonomous'] as const;
export type LevelName = (typeof LEVEL_NAMES)[number];

const PILLARS: Record<string, string> = {
  'Style & Validation': `lint_config type_check formatter pre_commit_hooks strict_typing naming_consistency
    cyclomatic_complexity large_file_detection dead_code_detection duplicate_code_detection code_modularization
    tech_debt_tracking n_plus_one_detection`,
  'Build System': `build_cmd_doc deps_pinned vcs_cli_tools automated_pr_review agentic_development fast_ci_feedback
    build_performance_tracking deployment_frequency single_command_setup feature_flag_infrastructure
    release_notes_automation progressive_rollout rollback_automation monorepo_tooling heavy_dependency_detection
    unused_dependencies_detection version_drift_detection release_automation dead_feature_flag_detection`,
  Testing: `unit_tests_exist integration_tests_exist unit_tests_runnable test_performance_tracking flaky_test_detection
    test_coverage_thresholds test_naming_conventions test_isolation`,
  Documentation: `agents_md readme automated_doc_generation skills documentation_freshness api_schema_docs
    service_flow_documented agents_md_validation`,
  'Development Environment': `devcontainer env_template local_services_setup database_schema devcontainer_runnable`,
  'Debugging & Observability': `structured_logging distributed_tracing metrics_collection code_quality_metrics
    error_tracking_contextualized alerting_configured runbooks_documented deployment_observability health_checks
    circuit_breakers profiling_instrumentation`,
  Security: `branch_protection secret_scanning codeowners automated_security_review dependency_update_automation
    gitignore_comprehensive dast_scanning pii_handling privacy_compliance secrets_management log_scrubbing
    min_release_age`,
  'Task Discovery': `issue_templates issue_labeling_system backlog_health pr_templates`,
  'Product & Experimentation': `product_analytics_instrumentation error_to_insight_pipeline`,
};
const OTHER = 'Other';

const PILLAR_OF = new Map(
  Object.entries(PILLARS).flatMap(([pillar, ids]) => ids.split(/\s+/).map((id): [string, string] => [id, pillar])),
);

export interface Pillar {
  readonly name: string;
  /** null: none of its criteria was evaluated. */
  readonly score: number | null;
  readonly criteria: string[];
}

export interface Assessment {
  readonly score: number;
  readonly level: number;
  readonly levelName: LevelName;
  readonly pillars: Pillar[];
}

export function assess(criteria: Readonly<Record<string, CriterionCount>>): Assessment {
  return { ...grade(Object.values(criteria)), pillars: pillarsOf(criteria) };
}

/** Score and level of all criteria of a report. */
export function grade(counts: readonly CriterionCount[]): Omit<Assessment, 'pillars'> {
  const score = meanOf(counts) ?? 0;
  const band = Math.min(Math.floor(score * 5), LEVEL_NAMES.length - 1);
  return { score, level: band + 1, levelName: LEVEL_NAMES[band] ?? 'Functional' };
}

export function pillarOf(criterion: string): string {
  return PILLAR_OF.get(criterion) ?? OTHER;
}

/** The nine pillars, and one for unknown criteria if there are any. */
function pillarsOf(criteria: Readonly<Record<string, CriterionCount>>): Pillar[] {
  const byPillar = new Map<string, [id: string, evaluation: CriterionCount][]>();
  for (const name of Object.keys(PILLARS)) byPillar.set(name, []);
  for (const [id, evaluation] of Object.entries(criteria)) {
    const name = pillarOf(id);
    byPillar.set(name, [...(byPillar.get(name) ?? []), [id, evaluation]]);
  }
  return [...byPillar].map(([name, entries]) => ({
    name,
    score: meanOf(entries.map(([, evaluation]) => evaluation)),
    criteria: entries.map(([id]) => id),
  }));
}

/** The mean, rounded to 12 decimals: in doubles the mean of 1/10 and 7/10 is less than 4/10. */
function meanOf(evaluations: readonly CriterionCount[]): number | null {
  if (evaluations.length === 0) return null;
  const sum = evaluations.reduce((total, { numerator, denominator }) => total + numerator / denominator, 0);
  return Math.round((sum / evaluations.length) * 1e12) / 1e12;
}
