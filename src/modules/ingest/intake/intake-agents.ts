/** Through what events arrive: an adapter of telemetry, or one of our own ways in. */
export const INTAKE_AGENTS = [
  'claude-code',
  'gemini-cli',
  'codex',
  'opencode',
  'gen-ai',
  'ingest-api',
  'agent-client',
] as const;
export type IntakeAgent = (typeof INTAKE_AGENTS)[number];
