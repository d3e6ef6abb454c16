import type { UsageFact } from '../../../src/modules/telemetry/adapters/adapter.js';
import { adapterFor } from '../../../src/modules/telemetry/adapters/adapters.js';
import { mapped, sampleRecords } from '../../support/telemetry-records.js';

interface Expected {
  agent: string;
  /** How often each fact is told, written as its type and its fields in their order. */
  facts: Record<string, number>;
  sessionId?: string;
  client?: UsageFact['client'];
  /** The names of records that nobody knows. */
  unknown?: string[];
}

const CLAUDE_CALL =
  'model_call modelId=claude-sonnet-4-5 inputTokens=2400 outputTokens=42 cacheReadTokens=900 cacheWriteTokens=300';
const CLAUDE_HOOKS = {
  'hook_run event=SessionStart matcher=startup command=unknown': 1,
  'hook_run event=PostToolUse matcher=Write command=unknown': 2,
  'hook_run event=Stop matcher= command=unknown': 1,
};
const CLAUDE_TOOLS = {
  'tool_call tool=Write': 1,
  'tool_call tool=Edit': 1,
  'tool_call tool=Bash': 2,
  'tool_call tool=Skill': 1,
  'tool_call tool=Read': 1,
};
const STUB_CALL = 'model_call modelId=stub-model inputTokens=1000 outputTokens=50 cacheReadTokens=400';
const NOTHING = { facts: {} };

const SAMPLES: Record<string, Expected> = {
  'claude-code-logs': {
    agent: 'Claude Code',
    sessionId: 'uuid-0001',
    client: 'non-interactive-cli',
    facts: {
      user_message: 1,
      assistant_message: 1,
      [CLAUDE_CALL]: 8,
      ...CLAUDE_TOOLS,
      'tool_call tool=mcp__Demo__ping mcpServer=Demo': 1,
      'file_edited extension=.py': 2,
      'skill_used name=demo-skill': 1,
      ...CLAUDE_HOOKS,
    },
  },
  'claude-code-logs-default-redaction-slash': {
    agent: 'Claude Code',
    sessionId: 'uuid-0003',
    client: 'non-interactive-cli',
    facts: {
      user_message: 1,
      assistant_message: 1,
      'slash_command name=custom': 1,
      [CLAUDE_CALL]: 8,
      ...CLAUDE_TOOLS,
      'tool_call tool=mcp_tool mcpServer=custom': 1,
      'file_edited extension=': 2,
      'skill_used name=custom_skill': 1,
      ...CLAUDE_HOOKS,
    },
  },
  'claude-code-logs-http-json': {
    agent: 'Claude Code',
    sessionId: 'uuid-0005',
    facts: {
      user_message: 1,
      assistant_message: 1,
      [CLAUDE_CALL]: 2,
      'tool_call tool=Write': 1,
      'file_edited extension=.py': 1,
    },
  },
  'claude-code-metrics': {
    agent: 'Claude Code',
    sessionId: 'uuid-0001',
    client: 'non-interactive-cli',
    facts: { session_started: 1, git_commit: 1, pull_request_created: 1 },
  },
  'claude-code-metrics-http-json': { agent: 'Claude Code', sessionId: 'uuid-0005', facts: { session_started: 1 } },
  'claude-code-traces': { agent: 'Claude Code', ...NOTHING },
  'gemini-cli-logs': {
    agent: 'Gemini CLI',
    sessionId: 'uuid-0007',
    client: 'non-interactive-cli',
    facts: {
      session_started: 1,
      user_message: 1,
      assistant_message: 2,
      'model_call modelId=gemini-stub inputTokens=1000 outputTokens=60 cacheReadTokens=400 thinkingTokens=10': 2,
      'tool_call tool=Write': 1,
      'file_created extension=.py': 1,
      'hook_run event=AfterTool matcher= command=h1': 1,
    },
  },
  'gemini-cli-metrics-cumulative': { agent: 'Gemini CLI', ...NOTHING },
  'gemini-cli-metrics-delta': { agent: 'Gemini CLI', ...NOTHING },
  'gemini-cli-traces': { agent: 'Gemini CLI', ...NOTHING },
  'codex-logs': {
    agent: 'Codex',
    sessionId: 'uuid-0010',
    client: 'non-interactive-cli',
    facts: {
      session_started: 1,
      user_message: 1,
      assistant_message: 2,
      [`${STUB_CALL} cacheWriteTokens=0 thinkingTokens=10`]: 2,
      'tool_call tool=Bash': 1,
      git_commit: 1,
    },
    unknown: ['event otel/src/metrics/client.rs:308'],
  },
  'codex-metrics': { agent: 'Codex', ...NOTHING },
  'codex-traces-excerpt': { agent: 'Codex', ...NOTHING },
  'opencode-logs-excerpt': { agent: 'opencode', ...NOTHING },
  'opencode-traces-excerpt': {
    agent: 'opencode',
    sessionId: 'ses-0001',
    facts: {
      // Each of the three spans tells it, and it counts once.
      'session_started = session ses-0001': 3,
      [`${STUB_CALL} thinkingTokens=0`]: 2,
      'tool_call tool=Write': 1,
      'file_created extension=.py': 1,
    },
  },
};

describe.each(Object.entries(SAMPLES))('of what was captured in %s', (sample, expected) => {
  const records = sampleRecords(sample);
  const facts = records.flatMap((record) => mapped(record) ?? []);

  it('every record is read by the adapter of its agent', () => {
    expect(new Set(records.map((record) => adapterFor(record).name))).toEqual(new Set([expected.agent]));
  });

  it('exactly the expected facts are told', () => {
    const counts: Record<string, number> = {};
    for (const fact of facts) counts[line(fact)] = (counts[line(fact)] ?? 0) + 1;
    expect(counts).toEqual(expected.facts);
  });

  it('only records that nobody knows are ignored', () => {
    const ignored = records.filter((record) => mapped(record) === null);
    expect(ignored.map((record) => adapterFor(record).nameOf(record))).toEqual(expected.unknown ?? []);
  });

  it('facts have their session, their client and a time of that day', () => {
    const of = (list: unknown[]) => [...new Set(list)];
    expect(of(facts.map(({ sessionId }) => sessionId))).toEqual(facts.length > 0 ? [expected.sessionId] : []);
    if (expected.client) expect(of(facts.map(({ client }) => client))).toEqual([expected.client]);
    const days = facts.map(({ timeMs }) => new Date(timeMs ?? 0).toISOString().slice(0, 10));
    expect(of(days)).toEqual(facts.length > 0 ? ['2026-11-14'] : []);
  });
});

function line({ type, fields, identity }: UsageFact): string {
  const parts = Object.entries(fields).map(([field, value]) => `${field}=${value}`);
  return [type, ...parts, ...(identity === undefined ? [] : ['=', identity])].join(' ');
}
