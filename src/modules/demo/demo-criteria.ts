export interface Criterion {
  readonly id: string;
  /** Otherwise each part of the repository is judged separately. */
  readonly isOfWholeRepository: boolean;
  /** From 0 (everybody meets it) to 1. */
  readonly difficulty: number;
  readonly whenMet: string;
  readonly whenNot: string;
}

/** For each part of a repository: id, difficulty, what is found, what is missing. */
const OF_PARTS: readonly [string, number, string, string][] = [
  ['lint_config', 0.15, 'A linter is configured and runs in CI', 'No linter is configured'],
  ['formatter', 0.2, 'A formatter is configured', 'No formatter is configured'],
  ['type_check', 0.3, 'Types are checked in CI', 'Types are not checked in CI'],
  ['strict_typing', 0.5, 'Strict type checks are on', 'Strict type checks are off'],
  ['cyclomatic_complexity', 0.75, 'The linter bounds the complexity of functions', 'Nothing bounds complexity'],
  ['dead_code_detection', 0.7, 'Unused exports fail the build', 'Nobody looks for unused code'],
  ['duplicate_code_detection', 0.85, 'Duplicates are reported in CI', 'Nobody looks for duplicates'],
  ['code_modularization', 0.55, 'Imports between layers are checked', 'Layers import each other freely'],
  ['n_plus_one_detection', 0.9, 'Tests count the queries of each request', 'Repeated queries go unnoticed'],
  ['unit_tests_exist', 0.15, 'Unit tests lie beside the code', 'There are hardly any unit tests'],
  ['unit_tests_runnable', 0.25, 'One command runs the unit tests', 'The tests need manual preparation'],
  ['integration_tests_exist', 0.45, 'Integration tests use a real database', 'There are no integration tests'],
  ['test_coverage_thresholds', 0.65, 'CI fails below 80 % coverage', 'Coverage is not measured'],
  ['test_isolation', 0.6, 'Tests run in any order', 'Some tests depend on the ones before'],
  ['flaky_test_detection', 0.85, 'Flaky tests are found and listed', 'Flaky tests are only run again'],
  ['api_schema_docs', 0.5, 'The API is described in a schema that is checked', 'There is no schema of the API'],
  ['structured_logging', 0.4, 'Logs are JSON with a request id', 'Logs are plain text'],
  ['distributed_tracing', 0.7, 'Traces go through all calls', 'There are no traces'],
  ['metrics_collection', 0.5, 'Metrics are exported', 'No metrics are exported'],
  ['health_checks', 0.35, 'Liveness and readiness are served', 'There is no health check'],
  ['error_tracking_contextualized', 0.6, 'Errors are collected with their context', 'Errors are only logged'],
  ['circuit_breakers', 0.85, 'Calls to others have timeouts and breakers', 'Calls to others wait without a bound'],
  ['log_scrubbing', 0.75, 'Personal data is removed from logs', 'Logs may hold personal data'],
  ['product_analytics_instrumentation', 0.65, 'Use of features is measured', 'Use of features is not measured'],
];

/** The same for a repository as a whole. */
const OF_REPOSITORIES: typeof OF_PARTS = [
  ['readme', 0.05, 'The README says how to start', 'The README is a placeholder'],
  ['build_cmd_doc', 0.2, 'Build commands are documented', 'Build commands have to be guessed'],
  ['agents_md', 0.4, 'AGENTS.md describes layout, commands and rules', 'There is no AGENTS.md'],
  ['agents_md_validation', 0.85, 'CI runs the commands of AGENTS.md', 'Nothing keeps AGENTS.md true'],
  ['skills', 0.7, 'Frequent tasks are written down as skills', 'There are no skills'],
  [
    'documentation_freshness',
    0.55,
    'The documents changed within three months',
    'The documents are older than the code',
  ],
  ['automated_doc_generation', 0.7, 'Reference pages are generated', 'Reference pages are written by hand'],
  ['deps_pinned', 0.15, 'A lock file is committed', 'Dependencies are not pinned'],
  ['single_command_setup', 0.45, 'One command sets everything up', 'Setting up takes a page of steps'],
  ['fast_ci_feedback', 0.6, 'CI answers within ten minutes', 'CI takes more than half an hour'],
  ['automated_pr_review', 0.55, 'An agent reviews every pull request', 'Only people review pull requests'],
  ['release_automation', 0.65, 'Releases are made by CI', 'Releases are made by hand'],
  ['release_notes_automation', 0.7, 'Release notes are made from commits', 'Release notes are written by hand'],
  ['progressive_rollout', 0.85, 'Releases reach some users first', 'Releases reach everybody at once'],
  ['rollback_automation', 0.8, 'One command goes back to the last release', 'Going back is done by hand'],
  ['feature_flag_infrastructure', 0.6, 'Features are behind flags', 'There are no feature flags'],
  ['unused_dependencies_detection', 0.65, 'CI reports unused dependencies', 'Unused dependencies stay'],
  ['pre_commit_hooks', 0.35, 'Hooks check before each commit', 'Nothing is checked before a commit'],
  ['env_template', 0.3, '.env.example lists every variable', 'Variables are not listed anywhere'],
  ['devcontainer', 0.5, 'A development container is defined', 'There is no development container'],
  ['local_services_setup', 0.45, 'A compose file starts what is needed', 'Local services are set up by hand'],
  ['runbooks_documented', 0.6, 'Alerts link to runbooks', 'There are no runbooks'],
  ['alerting_configured', 0.5, 'Alerts are defined as code', 'Nobody is alerted'],
  ['branch_protection', 0.2, 'The main branch is protected', 'Anybody may push to the main branch'],
  ['secret_scanning', 0.4, 'Commits are scanned for secrets', 'Commits are not scanned for secrets'],
  ['codeowners', 0.3, 'CODEOWNERS covers every folder', 'There is no CODEOWNERS file'],
  ['dependency_update_automation', 0.4, 'Updates arrive as pull requests', 'Updates are made by hand'],
  ['gitignore_comprehensive', 0.1, 'Build output and secrets are ignored', 'Build output is committed'],
  ['dast_scanning', 0.9, 'The running service is scanned each week', 'The running service is not scanned'],
  ['issue_templates', 0.35, 'There are templates for issues', 'Issues have no template'],
  ['issue_labeling_system', 0.45, 'Issues are labelled by area and size', 'Issues have no labels'],
  ['pr_templates', 0.3, 'There is a template for pull requests', 'Pull requests have no template'],
  ['backlog_health', 0.6, 'Old issues are closed or taken up', 'Half of the issues are older than a year'],
];

export const CRITERIA: readonly Criterion[] = [
  ...OF_PARTS.map((row) => toCriterion(row, false)),
  ...OF_REPOSITORIES.map((row) => toCriterion(row, true)),
];

function toCriterion(
  [id, difficulty, whenMet, whenNot]: (typeof OF_PARTS)[number],
  isOfWholeRepository: boolean,
): Criterion {
  return { id, isOfWholeRepository, difficulty, whenMet, whenNot };
}
