import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { ToolCalls } from '../../../src/agent/session/tool-calls.js';

const update = (fields: Partial<ToolCallUpdate>): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 't',
  ...fields,
});
const start = (fields: Partial<ToolCallUpdate>): SessionUpdate => ({
  sessionUpdate: 'tool_call',
  toolCallId: 't',
  title: '',
  ...(fields as object),
});

/** What is known after these. */
const after = (...updates: SessionUpdate[]) => {
  const calls = new ToolCalls();
  const [last] = updates.map((one) => calls.apply(one)).slice(-1);
  if (!last) throw new Error('There is no call.');
  return last;
};
const diff = (oldText: string | null | undefined, meta?: Record<string, unknown>) => ({
  type: 'diff' as const,
  path: '/repo/a.ts',
  oldText,
  newText: 'x',
  _meta: meta,
});
const text = (words: string) => ({ type: 'content' as const, content: { type: 'text' as const, text: words } });

describe('the name of a tool', () => {
  it.each<[string, string, SessionUpdate[]]>([
    ['what Claude says', 'Write', [start({ title: 'Write a.ts', _meta: { claudeCode: { toolName: 'Write' } } })]],
    ['what the protocol says', 'write_file', [start({ title: 'Write', name: 'write_file' })]],
    ['the first title, if it is a word', 'write', [start({ title: 'write' }), update({ title: 'a.ts' })]],
    ['a later name rather than a title', 'W', [start({ title: 'write' }), update({ name: 'W' })]],
    ['a word for the kind otherwise', 'Edit', [update({ title: 'Writing to a.ts', kind: 'edit' })]],
    [
      'that word even when a later title is a word',
      'Edit',
      [update({ title: 'A b', kind: 'edit' }), update({ title: 'c' })],
    ],
    [
      'not the command',
      'Execute',
      [start({ title: 'ls', kind: 'execute', rawInput: { command: ['bash', '-lc', 'ls'] } })],
    ],
    [
      'the tool of a command',
      'bash',
      [start({ title: 'bash', kind: 'execute' }), update({ rawInput: { command: 'ls' } })],
    ],
    ['Other when nothing is known', 'Other', [update({})]],
    ['a word for a change of mode', 'SwitchMode', [update({ kind: 'switch_mode' })]],
  ])('is %s: %s', (_, name, updates) => {
    expect(after(...updates).name).toBe(name);
  });

  it.each([
    ['mcp__github__create_issue', 'github'],
    ['mcp__my-server__a__b', 'my-server'],
    ['mcp__github__', null],
    ['mcp__github', null],
    ['Bash', null],
  ])('%s is of the MCP server %s', (name, mcpServer) => {
    expect(after(start({ title: name, name }))).toMatchObject({ name, mcpServer });
  });

  it.each([
    ['t', 'add_note (my_notes MCP Server)', 'mcp__my_notes__add_note', 'my_notes'],
    ['mcp_notes_add__mcp_notes_add_1794784204071_0', 'Adds a note', 'mcp__notes__add', 'notes'],
    ['t', 'read (the manual of the MCP Server', 'Other', null],
  ])('Gemini CLI tells it in the id %s or the title %s', (toolCallId, title, name, mcpServer) => {
    expect(after(update({ toolCallId, title, kind: 'other' }))).toMatchObject({ name, mcpServer });
  });
});

describe('the command of a tool call', () => {
  it.each<[string | null, Partial<ToolCallUpdate>]>([
    ['ls -la', { rawInput: { command: 'ls -la' }, title: 'Listing', kind: 'execute' }],
    ['ls && pwd', { rawInput: { command: ['/bin/bash', '-lc', 'ls && pwd'] }, kind: 'execute' }],
    ["git commit -m 'a b'", { rawInput: { command: ['git', 'commit', '-m', 'a b'] } }],
    ['git push -f', { rawInput: { command: 'git', args: ['push', '-f'] } }],
    ['git push', { rawInput: { command: ['git'], args: ['push'] } }],
    ['ls -la', { title: 'ls -la', kind: 'execute' }],
    ['ls', { title: '`ls`', kind: 'execute' }],
    [null, { title: 'ls', kind: 'other' }],
    [null, { title: ' ', kind: 'execute' }],
    [null, { rawInput: { command: 7 } }],
    [null, { rawInput: { command: [] } }],
    [null, { rawInput: 'ls' }],
  ])('is %j for %j', (command, fields) => {
    expect(after(update(fields)).command).toBe(command);
  });
});

describe('the files of a tool call', () => {
  it.each<[string, boolean, Partial<ToolCallUpdate>]>([
    ['no old text', true, { content: [diff(null)] }],
    ['an absent old text', true, { content: [diff(undefined)] }],
    ['an empty old text that was added', true, { content: [diff('', { kind: 'add' })] }],
    ['an empty old text', false, { content: [diff('')] }],
    ['an old text', false, { content: [diff('old')] }],
    ['an old text that was added', false, { content: [diff('old', { kind: 'add' })] }],
    ['a place', false, { kind: 'edit', locations: [{ path: '/repo/a.ts' }] }],
    [
      'a place that was not there',
      true,
      { kind: 'edit', locations: [{ path: '/repo/a.ts' }], rawOutput: { metadata: { exists: false } } },
    ],
    ['a file that was there', false, { content: [diff(null)], rawOutput: { metadata: { exists: true } } }],
    ['an update', false, { content: [diff(null)], _meta: { claudeCode: { toolResponse: { type: 'update' } } } }],
    ['a creation', true, { content: [diff('x')], _meta: { claudeCode: { toolResponse: { type: 'create' } } } }],
  ])('with %s: new is %s', (_, isNew, fields) => {
    expect(after(update(fields)).files).toEqual([{ path: '/repo/a.ts', isNew }]);
  });

  it('are counted once each, and only where something is written', () => {
    expect(after(update({ content: [diff('a'), diff('b')] })).files).toHaveLength(1);
    expect(after(update({ kind: 'read', locations: [{ path: '/a' }] })).files).toEqual([]);
    expect(after(update({ kind: 'delete', content: [diff('a')] })).files).toEqual([]);
  });
});

describe('the output of a tool call', () => {
  it.each<[string, Partial<ToolCallUpdate>]>([
    ['one\ntwo', { content: [text('one'), diff('x'), text('two')], rawOutput: 'raw' }],
    ['raw', { content: [diff('x')], rawOutput: 'raw' }],
    ['out', { rawOutput: { output: 'out', metadata: {} } }],
    ['formatted', { rawOutput: { stdout: 'plain', formatted_output: 'formatted' } }],
    ['wrong', { rawOutput: { stdout: '', stderr: 'wrong' } }],
    ['a\n{"type":"image"}', { rawOutput: { content: [{ type: 'text', text: 'a' }, { type: 'image' }] } }],
    ['{"n":1}', { rawOutput: { n: 1 } }],
    ['[1]', { rawOutput: [1] }],
    ['Edited /repo/a.ts', { content: [diff('x')], status: 'completed' }],
    ['Created /repo/a.ts', { content: [diff(null)], status: 'completed' }],
    ['', { content: [diff(null)], status: 'failed' }],
    [
      '[image: image/png]',
      { content: [{ type: 'content', content: { type: 'image', data: 'x', mimeType: 'image/png' } }] },
    ],
    [
      '[file:///a]',
      { content: [{ type: 'content', content: { type: 'resource_link', uri: 'file:///a', name: 'a' } }] },
    ],
  ])('is %j for %j', (output, fields) => {
    expect(after(update(fields)).output).toBe(output);
  });

  it('is text that can be kept', () => {
    expect(after(update({ rawOutput: 'a\u0000b\ud800' })).output).toBe('ab\ufffd');
  });

  it('and the input are cut, visibly', () => {
    const long = 'x'.repeat(300_000);
    const call = after(update({ rawInput: { content: long, path: '/a' }, rawOutput: long }));
    expect(call.output).toMatch(/^x{199990,200000}… \[cut: 1000\d\d characters\]$/);
    expect(call.input.path).toBe('/a');
    expect(call.input.content).toMatch(/^x+… \[cut: \d+ characters\]$/);
    expect(JSON.stringify(call.input).length).toBeLessThanOrEqual(200_000);
  });

  it('is cut by what it takes to write it', () => {
    expect(JSON.stringify(after(update({ rawOutput: '\u0001'.repeat(200_000) })).output).length).toBeLessThan(200_100);
  });
});

describe('the input of a tool call', () => {
  it.each<[unknown, Record<string, unknown>]>([
    [{ a: ['b\u0000', { 'k\u0000': '\udc00' }] }, { a: ['b', { k: '\ufffd' }] }],
    ['text', { input: 'text' }],
    [[1, 2], { input: [1, 2] }],
    [null, {}],
    [undefined, {}],
  ])('%j is kept as %j', (rawInput, input) => {
    expect(after(update({ rawInput })).input).toEqual(input);
  });

  it('stays when an update brings none', () => {
    expect(after(update({ rawInput: { a: 1 } }), update({ rawInput: {} })).input).toEqual({ a: 1 });
  });

  it('of absurd depth or number of parts is kept within bounds', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
    expect(JSON.stringify(after(update({ rawInput: deep, rawOutput: deep })).input).length).toBeLessThan(1_000);
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`key-${i}`, i]));
    expect(JSON.stringify(after(update({ rawInput: wide })).input).length).toBeLessThanOrEqual(200_000);
  });
});

describe('a failed call has run', () => {
  it.each<[unknown, boolean]>([
    [{ exit_code: 1 }, true],
    [{ exitCode: 2 }, true],
    [{ metadata: { exit: 1 } }, true],
    ['Exit code 1\nno such file', true],
    ['The user refused', false],
    [{ error: 'denied' }, false],
    [undefined, false],
  ])('when the agent tells its exit code: %j %s', (rawOutput, hasRun) => {
    const calls = new ToolCalls();
    calls.apply(start({ title: 'x', kind: 'execute' }));
    expect(calls.apply(update({ status: 'failed', rawOutput }))?.hasRun).toBe(hasRun);
  });
});

describe('the calls of a turn', () => {
  it('are put together from partial updates', () => {
    const calls = new ToolCalls();
    calls.apply(start({ title: 'write', kind: 'edit', status: 'pending' }));
    calls.apply(update({ status: 'in_progress', rawInput: { a: 1 }, locations: [{ path: '/a' }] }));
    expect(calls.apply(update({ status: 'completed', rawOutput: 'ok' }))).toEqual({
      id: 't',
      name: 'write',
      kind: 'edit',
      input: { a: 1 },
      status: 'completed',
      isFinished: true,
      hasRun: true,
      mcpServer: null,
      command: null,
      files: [{ path: '/a', isNew: false }],
      paths: ['/a'],
      output: 'ok',
    });
  });

  it('begin with a question for permission where the agent has said nothing else', () => {
    const calls = new ToolCalls();
    expect(calls.ask({ toolCallId: 't', title: 'Writing to a', kind: 'edit', status: 'completed' })).toMatchObject({
      name: 'Edit',
      status: 'pending',
      isFinished: false,
    });
    expect(calls.apply(update({ status: 'completed' }))).toMatchObject({ name: 'Edit', isFinished: true });
  });

  it('are told of once when they end, and later updates are ignored', () => {
    const calls = new ToolCalls();
    expect(calls.apply(update({ status: 'failed' }))).toMatchObject({ status: 'failed', isFinished: true });
    expect(calls.apply(update({ status: 'completed' }))).toBeNull();
    expect(calls.apply(start({ title: 'again' }))).toBeNull();
    expect(calls.ask({ toolCallId: 't', title: 'Bash', kind: 'execute' })).toMatchObject({ name: 'Bash' });
    expect(calls.openCount).toBe(0);
  });

  it('are about tools only', () => {
    const chunk: SessionUpdate = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } };
    expect(new ToolCalls().apply(chunk)).toBeNull();
  });

  it('that never end are given up, the oldest first', () => {
    const calls = new ToolCalls();
    for (let i = 0; i < 1_000; i += 1) calls.apply(update({ toolCallId: `t${i}` }));
    expect(calls.openCount).toBe(200);
    expect(calls.apply(update({ toolCallId: 't0', status: 'completed' }))).toBeNull();
    expect(calls.apply(update({ toolCallId: 't999', status: 'completed' }))).not.toBeNull();
  });
});
