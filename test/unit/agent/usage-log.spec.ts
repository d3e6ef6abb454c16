import type { PromptResult } from '../../../src/agent/acp/agent-driver.js';
import { readPromptResult } from '../../../src/agent/acp/prompt-result.js';
import type { ToolCall } from '../../../src/agent/session/tool-calls.js';
import { reportsOfPrompt, reportsOfText, reportsOfToolCall } from '../../../src/agent/session/usage-log.js';
import { type TurnSettings, UsageReport } from '../../../src/protocol/relay-protocol.js';
import { withoutIds } from '../../support/recorded-agent.js';
import { finishedCall } from '../../support/tool-call.js';

const NOW = Date.UTC(2026, 10, 14, 9, 30);
const context = (settings: TurnSettings = {}) => ({ settings, now: () => NOW });

const call = (fields: Partial<ToolCall>) => finishedCall({ id: 't', name: 'Bash', kind: 'execute', ...fields });
const prompt = (fields: Partial<PromptResult>): PromptResult => ({
  stopReason: 'end_turn',
  usage: null,
  models: [],
  currentModel: null,
  ...fields,
});
const typesOf = (fields: Partial<ToolCall>) => reportsOfToolCall(call(fields), context()).map(({ type }) => type);

describe('a tool call', () => {
  it('is reported with an id and a time of its own', () => {
    const [first, second] = [call({}), call({})].flatMap((one) => reportsOfToolCall(one, context()));
    expect(UsageReport.safeParse(first).success).toBe(true);
    expect(first?.at).toBe('2026-11-14T09:30:00.000Z');
    expect(parseInt(first?.id.replace('-', '').slice(0, 12) ?? '', 16)).toBe(NOW);
    expect(first?.id.charAt(14)).toBe('7');
    expect(first?.id).not.toBe(second?.id);
  });

  it.each<[TurnSettings, string]>([
    [{}, 'off'],
    [{ autonomyLevel: 'high' }, 'high'],
    [{ autonomyLevel: 'high', interactionMode: 'spec' }, 'spec'],
    [{ autonomyLevel: 'low', interactionMode: 'auto' }, 'low'],
  ])('with %j counts as %s', (settings, autonomyLevel) => {
    expect(withoutIds(reportsOfToolCall(call({}), context(settings)))).toEqual([
      { type: 'tool_call', tool: 'Bash', autonomyLevel },
    ]);
  });

  it('names its MCP server', () => {
    const [report] = reportsOfToolCall(call({ name: 'mcp__github__x', mcpServer: 'github' }), context());
    expect(report).toMatchObject({ tool: 'mcp__github__x', mcpServer: 'github' });
  });

  it.each<[string, Partial<ToolCall>]>([
    ['Bash', { name: 'bash' }],
    ['Bash', { name: 'Execute' }],
    ['Bash', { name: 'Read', kind: 'read', command: 'cat a' }],
    ['Write', { name: 'Edit', kind: 'edit', id: 'write_file__write_file_1794700282745_0' }],
    ['Write', { name: 'write', kind: 'edit' }],
    ['mcp__files__write', { name: 'mcp__files__write', mcpServer: 'files' }],
  ])('counts as %s: %j', (tool, fields) => {
    expect(reportsOfToolCall(call(fields), context())[0]).toMatchObject({ tool });
  });

  it('counts the files that it wrote', () => {
    const files = [
      { path: '/repo/a.test.ts', isNew: true },
      { path: '/repo/Makefile', isNew: false },
      { path: '/repo/.gitignore', isNew: false },
    ];
    expect(withoutIds(reportsOfToolCall(call({ kind: 'edit', files }), context())).slice(1)).toEqual([
      { type: 'file_created', extension: '.ts' },
      { type: 'file_edited', extension: '' },
      { type: 'file_edited', extension: '' },
    ]);
    expect(typesOf({ kind: 'edit', files, status: 'failed' })).toEqual(['tool_call']);
  });
});

describe('a model', () => {
  const usage = { inputTokens: 3, outputTokens: 2 };
  const modelsOf = (result: Partial<PromptResult>, settings: TurnSettings = {}) =>
    reportsOfPrompt(prompt({ usage, ...result }), context(settings)).map(({ modelId }) => modelId);

  it.each(['default', 'auto', 'Auto', '', ' ', 'sonnet', 'opus[1m]', 'opusplan', 'auto-gemini-3', 'flash'])(
    'is unknown when the agent names an alias: %j',
    (currentModel) => {
      expect(modelsOf({ currentModel }, { model: 'claude-opus-4-8' })).toEqual(['unknown']);
      expect(modelsOf({ models: [{ modelId: currentModel, ...usage }] })).toEqual(['unknown']);
    },
  );

  it.each(['claude-sonnet-4-5', 'opencode/auto-1', 'gemini-2.5-flash', 'gpt-5', 'stub/default-model'])(
    'keeps its own name: %s',
    (currentModel) => expect(modelsOf({ currentModel })).toEqual([currentModel]),
  );

  it('has one name in all its variants', () => {
    expect(modelsOf({ currentModel: 'claude-opus-4-8[1m]' })).toEqual(['claude-opus-4-8']);
  });

  it('is that of the session when the agent names none', () => {
    expect(modelsOf({ currentModel: null }, { model: 'gpt-5' })).toEqual(['gpt-5']);
  });
});

describe('a command', () => {
  it.each<[string, string[]]>([
    ['git commit -m x', ['git_commit']],
    ['git add . && git commit -m "a; b"', ['git_commit']],
    ['git commit -m x; git commit -m y', ['git_commit', 'git_commit']],
    ['git -c user.name=a -C /repo --no-pager commit -qm t', ['git_commit']],
    ['GIT_AUTHOR_NAME=x sudo git commit', ['git_commit']],
    ["bash -lc 'cd x && git commit'", ['git_commit']],
    ['(cd x; git commit)', ['git_commit']],
    ['git commit --dry-run', []],
    ['git commit --help', []],
    ['git commit -h', []],
    ['git log commit', []],
    ['git commit-tree x', []],
    ['echo git commit', []],
    ['echo "git commit"', []],
    ['git help commit', []],
    ['gh pr create --fill', ['pull_request_created']],
    ['gh pr new', ['pull_request_created']],
    ['gh -R a/b pr create', ['pull_request_created']],
    ['glab mr create', ['pull_request_created']],
    ['gh pr create --dry-run', []],
    ['gh pr view', []],
    ['git commit -m x && git push && gh pr create', ['git_commit', 'pull_request_created']],
  ])('%j counts as %j', (command, types) => {
    expect(typesOf({ command }).slice(1)).toEqual(types);
  });

  it('that failed counts as a tool call only', () => {
    expect(typesOf({ command: 'git commit', status: 'failed' })).toEqual(['tool_call']);
  });

  it('of an editing tool is no command', () => {
    expect(typesOf({ kind: 'edit', command: 'git commit' })).toEqual(['tool_call']);
  });
});

describe('the tokens of a turn', () => {
  const reports = (response: unknown, currentModel: string | null, settings: TurnSettings = {}) =>
    withoutIds(reportsOfPrompt(readPromptResult(response, currentModel), context(settings)));

  it.each<[string, unknown, Record<string, number>]>([
    ['nothing else', { inputTokens: 10, outputTokens: 5 }, { inputTokens: 10, outputTokens: 5 }],
    [
      'what was cached apart',
      { inputTokens: 10, outputTokens: 5, cachedReadTokens: 3, cachedWriteTokens: 2, totalTokens: 20 },
      { inputTokens: 15, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 },
    ],
    [
      'what was cached included, as the total tells',
      { inputTokens: 10, outputTokens: 5, cachedReadTokens: 3, totalTokens: 15 },
      { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3 },
    ],
    [
      'thoughts apart, as the total tells',
      { inputTokens: 10, outputTokens: 5, thoughtTokens: 4, totalTokens: 19 },
      { inputTokens: 10, outputTokens: 9, thinkingTokens: 4 },
    ],
    [
      'thoughts included',
      { inputTokens: 10, outputTokens: 5, thoughtTokens: 4, totalTokens: 15 },
      { inputTokens: 10, outputTokens: 5, thinkingTokens: 4 },
    ],
    [
      'nonsense beside',
      { inputTokens: 10, outputTokens: 5, cachedReadTokens: -1, totalTokens: 'x' },
      { inputTokens: 10, outputTokens: 5 },
    ],
  ])('are counted with %s', (_, usage, tokens) => {
    expect(reports({ stopReason: 'end_turn', usage }, 'm')).toEqual([{ type: 'model_call', modelId: 'm', ...tokens }]);
  });

  it.each([
    undefined,
    null,
    {},
    { usage: null },
    { usage: { inputTokens: 1 } },
    { usage: { inputTokens: 1.5, outputTokens: 1 } },
    { usage: { inputTokens: 2_000_000_000, outputTokens: 1 } },
    { _meta: { quota: { model_usage: [{ model: '' }] } } },
    'text',
  ])('are not counted with %j', (response) => {
    expect(reports(response, 'm')).toEqual([]);
  });

  it('are counted by model where the agent tells', () => {
    const model_usage = [
      { model: 'a', token_count: { input_tokens: 10, output_tokens: 1 } },
      { model: 'b', token_count: { input_tokens: 20, output_tokens: 2 } },
    ];
    const response = { stopReason: 'end_turn', _meta: { quota: { model_usage } } };
    expect(readPromptResult(response, null).usage).toEqual({ inputTokens: 30, outputTokens: 3 });
    expect(reports(response, 'm')).toEqual([
      { type: 'model_call', modelId: 'a', inputTokens: 10, outputTokens: 1 },
      { type: 'model_call', modelId: 'b', inputTokens: 20, outputTokens: 2 },
    ]);
  });

  it.each<[string | null, TurnSettings, string]>([
    ['current', { model: 'set' }, 'current'],
    [null, { model: 'set' }, 'set'],
    [null, {}, 'unknown'],
    [' \u0007', {}, 'unknown'],
    ['x'.repeat(300), {}, 'x'.repeat(200)],
  ])('are those of the model: current %j, set %j', (currentModel, settings, modelId) => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const [report] = reportsOfPrompt(prompt({ usage, currentModel }), context(settings));
    expect(report?.modelId).toBe(modelId);
  });
});

describe('a slash command', () => {
  const commands = ['init', 'memory', 'memory show', ''];

  it.each<[string, string[]]>([
    ['/init', ['init']],
    ['/init now', ['init']],
    ['/init\nnow', ['init']],
    ['/memory show all', ['memory show']],
    ['/memory shown', ['memory']],
    ['/initial', []],
    ['/other', []],
    [' /init', []],
    ['init', []],
    ['/', []],
    ['/ init', []],
    ['', []],
  ])('in %j: %j', (text, names) => {
    expect(reportsOfText(text, commands, context()).map(({ type, name }) => [type, name])).toEqual(
      names.map((name) => ['slash_command', name]),
    );
  });
});
