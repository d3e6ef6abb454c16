import { credentialName, type Principal } from '../../../common/access/principal.js';
import type { IntakeAgent } from '../../ingest/intake/intake-agents.js';
import { text } from '../adapters/attributes.js';
import { sessionId } from '../adapters/facts.js';
import type { TelemetryRecord } from '../fact-events.js';
import type { LogRecord, SumPoint } from '../otlp/records.js';

/** Reads how much an agent says it has sent. Metrics are read as claims alone: they are never added to usage. */
export interface ClaimReader {
  /** Whether counters are compared with tokens or with model calls. */
  readonly unit: 'tokens' | 'model_calls';
  /** The session, or what else the agent counts by; null: what the record claims cannot be compared. */
  groupOf(record: TelemetryRecord, caller: Principal): string | null;
  numberOf(record: LogRecord): number | null;
  claimedBy(point: SumPoint): number | null;
}

const MAX_NUMBER = 1_000_000_000;
const GEMINI_TOKENS = new Set(['input', 'output', 'thought']);

/** Each token is in one of the four types. */
const claudeCode: ClaimReader = {
  unit: 'tokens',
  groupOf: ({ attributes }) => sessionId(text(attributes, 'session.id')),
  numberOf: ({ attributes }) => toNumber(text(attributes, 'event.sequence')),
  claimedBy: ({ name, value }) => (name === 'claude_code.token.usage' ? value : null),
};

/** Cached tokens are part of the input; those of tools are in no log record. */
const geminiCli: ClaimReader = {
  unit: 'tokens',
  groupOf: ({ attributes, resource }) => sessionId(text(attributes, 'session.id'), text(resource, 'session.id')),
  numberOf: () => null,
  claimedBy: ({ name, attributes, value }) =>
    name === 'gemini_cli.token.usage' && GEMINI_TOKENS.has(text(attributes, 'type')) ? value : null,
};

/** Its metrics name neither session nor user, so they are compared by credential; an SSO token is renewed too often. */
const codex: ClaimReader = {
  unit: 'model_calls',
  groupOf: (_record, { credential, userId }) => (credential.kind === 'key' ? credentialName(credential) : userId),
  numberOf: () => null,
  claimedBy: ({ name, attributes, value }) =>
    name === 'codex.sse_event' && text(attributes, 'kind') === 'response.completed' ? value : null,
};

export const CLAIM_READERS: ReadonlyMap<IntakeAgent, ClaimReader> = new Map([
  ['claude-code', claudeCode],
  ['gemini-cli', geminiCli],
  ['codex', codex],
]);

function toNumber(sent: string): number | null {
  const number = /^\d{1,10}$/.test(sent) ? Number(sent) : MAX_NUMBER;
  return number < MAX_NUMBER ? number : null;
}
