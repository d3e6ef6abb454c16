import fc from 'fast-check';
import { BUILT_IN_PRICE_BOOK } from '../../../src/config/price-book.js';
import { parseEvent } from '../../../src/modules/ingest/event-parser.js';
import { ModelPrices } from '../../../src/modules/ingest/model-prices.js';
import type { UsageFact } from '../../../src/modules/telemetry/adapters/adapter.js';
import type { Attributes, AttributeValue } from '../../../src/modules/telemetry/otlp/records.js';
import { anyText } from '../../support/any-text.js';
import { aLog, type AnyRecord, aPoint, aSpan, mapped, sampleRecords } from '../../support/telemetry-records.js';

const prices = new ModelPrices(BUILT_IN_PRICE_BOOK);
const SERVICES = ['claude-code', 'gemini-cli', 'codex_exec', 'opencode', 'other'];
const SAMPLES = [
  'claude-code-logs',
  'claude-code-logs-default-redaction-slash',
  'claude-code-metrics',
  'claude-code-traces',
  'gemini-cli-logs',
  'gemini-cli-traces',
  'codex-logs',
  'codex-metrics',
  'opencode-logs-excerpt',
  'opencode-traces-excerpt',
].flatMap(sampleRecords);

/** All the names that the samples use, so that what is drawn from them gets past the first question. */
const KEYS = [...new Set(SAMPLES.flatMap(({ attributes }) => Object.keys(attributes)))];
const EVENTS = [...new Set(SAMPLES.map((record) => nameIn(record)))];

function nameIn(record: AnyRecord): string {
  return 'name' in record ? record.name : ((record.attributes['event.name'] as string | undefined) ?? '');
}

/** Native ingest takes it, and no other fact of the record can be taken for it. */
function expectFine(facts: readonly UsageFact[]): void {
  for (const { type, fields, sessionId, client } of facts) {
    const id = '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d41';
    const common = { id, type, at: '2026-11-14T09:30:00Z', sessionId: sessionId ?? undefined, client };
    parseEvent({ ...JSON.parse(JSON.stringify(common)), ...fields }, prices);
  }
  const ofRecord = facts.filter(({ identity }) => identity === undefined).map(({ part }) => part);
  expect(new Set(ofRecord).size).toBe(ofRecord.length);
}

describe('every fact', () => {
  it('of the samples is one that native ingest takes', () => {
    for (const record of SAMPLES) expectFine(mapped(record) ?? []);
  });

  const value: fc.Arbitrary<AttributeValue> = fc.oneof(
    anyText(),
    fc.constantFrom('', ' ', '1e400', '-5', '1.5', '0x10', 'NaN', '1001', 'main', 'mcp', 'Write', 'mcp_tool', '\u0000'),
    fc.integer({ min: 190, max: 12_000 }).map((length) => 'é'.repeat(length)),
    fc.double(),
    fc.constantFrom(-1, 0.5, 2, 1e9, 1e10, 1e308, Infinity, NaN),
    fc.boolean(),
    fc.array(fc.string(), { maxLength: 2 }),
    fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
    fc.json(),
    fc.json().map((document) => document.slice(0, -1)),
  );
  const attributes: fc.Arbitrary<Attributes> = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 30 });

  it('of whatever is sent is one that native ingest takes, and nothing throws', () => {
    const service = fc.constantFrom(...SERVICES);
    const event = fc.constantFrom(...EVENTS, 'codex.skill.injected', 'codex.hooks.run', 'gemini_cli.slash_command');
    const number = fc.oneof(fc.double(), fc.constantFrom(1, 2.4, -1, NaN, Infinity));
    fc.assert(
      fc.property(service, event, attributes, number, (of, name, more, amount) => {
        expectFine(mapped(aLog(of, { ...more, 'event.name': name }, { timeMs: null })) ?? []);
        expectFine(mapped(aPoint(of, name, amount, more)) ?? []);
        expectFine(mapped(aSpan(of, name, { ...more, 'gen_ai.operation.name': 'chat' })) ?? []);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(
    SAMPLES.filter((record) => (mapped(record)?.length ?? 0) > 0).map((record) => [nameIn(record), record] as const),
  )('of a %s survives any one attribute being something else', (_name, record) => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(record.attributes)), value, (key, other) => {
        expectFine(mapped({ ...record, attributes: { ...record.attributes, [key]: other } }) ?? []);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    [
      { input_tokens: '-5', output_tokens: 'many' },
      { inputTokens: 0, outputTokens: 0 },
    ],
    [
      { input_tokens: 1.6, output_tokens: 1e300 },
      { inputTokens: 2, outputTokens: 1_000_000_000 },
    ],
    [
      { input_tokens: 1, cache_read_tokens: 9e8, cache_creation_tokens: 9e8 },
      { inputTokens: 1e9, cacheReadTokens: 9e8, cacheWriteTokens: 1e8 },
    ],
  ])('has counts within what ingest takes: %j', (tokens, fields) => {
    const facts = mapped(aLog('claude-code', { 'event.name': 'api_request', model: 'm', ...tokens }));
    expect(facts?.[0]?.fields).toMatchObject(fields);
  });

  it.each([NaN, Infinity, -1, 0, 0.2, 1e6])(
    'of a metric is there as often as can be believed: not %p times',
    (amount) => {
      expect(mapped(aPoint('claude-code', 'claude_code.commit.count', amount))).toEqual([]);
    },
  );
});

describe('nothing that a user or a model wrote leaves an adapter', () => {
  const SECRET = 'hunter2';
  const COMMAND = `TOKEN=${SECRET} curl -H ${SECRET} /home/${SECRET}/x && git commit -m "${SECRET}" && gh pr create -t ${SECRET}`;
  const PATCH = `*** Begin Patch\n*** Add File: /home/${SECRET}/${SECRET}.py\n+${SECRET}\n*** End Patch`;
  const INPUT = {
    [SECRET]: SECRET,
    command: COMMAND,
    cmd: COMMAND,
    full_command: COMMAND,
    file_path: `/home/${SECRET}/${SECRET}.py`,
    filePath: `/home/${SECRET}/${SECRET}.py`,
    content: SECRET,
    input: PATCH,
    patchText: PATCH,
    metadata: { filepath: `/home/${SECRET}.py`, exists: false, output: SECRET },
    output: SECRET,
  };
  const PLANTED: Attributes = {
    prompt: SECRET,
    response: SECRET,
    response_text: SECRET,
    request_text: SECRET,
    arguments: JSON.stringify(INPUT),
    output: SECRET,
    error: SECRET,
    'error.message': SECRET,
    function_args: JSON.stringify(INPUT),
    tool_input: JSON.stringify(INPUT),
    tool_parameters: JSON.stringify(INPUT),
    hook_name: `/home/${SECRET}/hook.sh ${SECRET}`,
    'ai.prompt': SECRET,
    'ai.prompt.messages': SECRET,
    'ai.response.text': SECRET,
    'ai.toolCall.args': JSON.stringify(INPUT),
    'ai.toolCall.result': JSON.stringify(INPUT),
    'gen_ai.input.messages': SECRET,
    'gen_ai.output.messages': SECRET,
    'gen_ai.system_instructions': SECRET,
    'gen_ai.tool.definitions': SECRET,
    'gen_ai.tool.call.arguments': SECRET,
    'gen_ai.tool.call.result': SECRET,
    full_command: COMMAND,
    file_path: `/home/${SECRET}`,
    'process.command_args': [SECRET],
  };
  const TOOLS = [
    'Write',
    'Edit',
    'Bash',
    'mcp_tool',
    'run_shell_command',
    'apply_patch',
    'exec_command',
    'write',
    'bash',
  ];

  const leaks = (record: AnyRecord) => JSON.stringify(mapped(record) ?? []).includes(SECRET);

  it('in the samples, with a secret in all that may hold text', () => {
    for (const record of SAMPLES) {
      const resource = { ...record.resource, 'process.command_args': SECRET };
      const more = 'eventName' in record ? { body: SECRET, resource } : { resource };
      expect(leaks({ ...record, ...more, attributes: { ...record.attributes, ...PLANTED } })).toBe(false);
    }
  });

  it.each(TOOLS)('in a call of %s', (tool) => {
    const names = { tool_name: tool, function_name: tool, 'ai.toolCall.name': tool, 'gen_ai.tool.name': tool };
    for (const service of SERVICES) {
      for (const event of ['tool_result', 'gemini_cli.tool_call', 'codex.tool_result']) {
        const record = aLog(service, { 'event.name': event, ...names, ...PLANTED }, { body: SECRET });
        expect(leaks(record)).toBe(false);
      }
      expect(leaks(aSpan(service, 'ai.toolCall', { ...names, ...PLANTED }))).toBe(false);
      expect(leaks(aSpan(service, SECRET, { 'gen_ai.operation.name': 'execute_tool', ...names, ...PLANTED }))).toBe(
        false,
      );
    }
  });

  it('though it is looked at', () => {
    const types = (record: AnyRecord) => mapped(record)?.map(({ type }) => type);
    const call = { 'event.name': 'codex.tool_result', tool_name: 'exec_command', ...PLANTED };
    expect(types(aLog('codex_exec', call))).toEqual([
      'tool_call',
      'file_created',
      'git_commit',
      'pull_request_created',
    ]);
  });
});
