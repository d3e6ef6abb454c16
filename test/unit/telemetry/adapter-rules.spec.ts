import type { Attributes } from '../../../src/modules/telemetry/otlp/records.js';
import { adapterFor } from '../../../src/modules/telemetry/adapters/adapters.js';
import { aLog, aPoint, aSpan, mapped, told } from '../../support/telemetry-records.js';

const CLAUDE = 'claude-code';
const GEMINI = 'gemini-cli';
const CODEX = 'codex_cli_rs';

const claude = (event: string, attributes: Attributes) => aLog(CLAUDE, { 'event.name': event, ...attributes });
const gemini = (event: string, attributes: Attributes) =>
  aLog(GEMINI, { 'event.name': `gemini_cli.${event}`, ...attributes });
const codex = (event: string, attributes: Attributes) => aLog(CODEX, { 'event.name': `codex.${event}`, ...attributes });
const clientOf = (record: Parameters<typeof mapped>[0]) => mapped(record)?.[0]?.client;

describe('which adapter reads a record', () => {
  it.each([
    ['claude-code', 'any', 'Claude Code'],
    ['my-wrapper', 'com.anthropic.claude_code.events', 'Claude Code'],
    ['gemini-cli', 'gemini-cli', 'Gemini CLI'],
    ['codex_exec', 'codex_otel.log_only', 'Codex'],
    ['Codex Desktop', '', 'Codex'],
    ['some-editor', 'codex_otel.log_only', 'Codex'],
    ['opencode', 'opencode', 'opencode'],
    ['codexample', 'example', 'gen_ai conventions'],
    ['', '', 'gen_ai conventions'],
  ])('of the service %p and the scope %p: %s', (service, scope, name) => {
    expect(adapterFor({ resource: { 'service.name': service }, scope }).name).toBe(name);
  });
});

describe('Claude Code', () => {
  it('has its input apart from what was cached', () => {
    const tokens = { input_tokens: '10', output_tokens: 3, cache_read_tokens: '200', cache_creation_tokens: 30 };
    expect(told(claude('api_request', { model: 'm', ...tokens }))).toEqual([
      ['model_call', { modelId: 'm', inputTokens: 240, outputTokens: 3, cacheReadTokens: 200, cacheWriteTokens: 30 }],
    ]);
  });

  it.each([
    ['init', 'init'],
    ['/init', 'init'],
    ['custom', 'custom'],
  ])('tells of the command %p in a prompt', (command_name, name) => {
    expect(told(claude('user_prompt', { command_name }))).toEqual([
      ['user_message', {}],
      ['slash_command', { name }],
    ]);
  });

  it('does not count a command of the user as a skill as well', () => {
    const skill = { 'skill.name': 'greet' };
    expect(told(claude('skill_activated', { ...skill, invocation_trigger: 'user-slash' }))).toEqual([]);
    expect(told(claude('skill_activated', { ...skill, invocation_trigger: 'claude-proactive' }))).toEqual([
      ['skill_used', { name: 'greet' }],
    ]);
  });

  it.each([
    ['Bash', {}, { tool: 'Bash' }],
    ['mcp_tool', {}, { tool: 'mcp_tool', mcpServer: 'custom' }],
    ['mcp_tool', { mcp_server_name: 'Demo', mcp_tool_name: 'ping' }, { tool: 'mcp__Demo__ping', mcpServer: 'Demo' }],
    [
      'mcp_tool',
      { mcp_server_name: 'My (own)', mcp_tool_name: 'a' },
      { tool: 'mcp__My__own___a', mcpServer: 'My (own)' },
    ],
    ['mcp__git__log', {}, { tool: 'mcp__git__log', mcpServer: 'git' }],
    ['rm -rf "/tmp"; echo', {}, { tool: 'unknown' }],
    ['', {}, { tool: 'unknown' }],
  ])('calls the tool %p with %j', (tool_name, parameters, fields) => {
    const record = claude('tool_result', { tool_name, tool_parameters: JSON.stringify(parameters) });
    expect(told(record)).toEqual([['tool_call', fields]]);
  });

  it('does not count a tool that was refused', () => {
    expect(told(claude('tool_decision', { tool_name: 'Bash', decision: 'reject' }))).toEqual([]);
  });

  it.each([
    ['Edit', { file_path: '/repo/a.TS' }, '.TS'],
    ['MultiEdit', { file_path: 'C:\\repo\\a.py' }, '.py'],
    ['Write', { file_path: '/repo/Makefile' }, ''],
    ['Write', { file_path: '/repo.d/.env' }, ''],
    ['Write', { content: 'x.py' }, ''],
    ['NotebookEdit', {}, '.ipynb'],
  ])('edits a file with %s of %j', (tool_name, input, extension) => {
    const attributes = { tool_name, success: 'true', tool_input: JSON.stringify(input) };
    expect(told(claude('tool_result', attributes))?.slice(1)).toEqual([['file_edited', { extension }]]);
    expect(told(claude('tool_result', { ...attributes, success: 'false' }))).toHaveLength(1);
  });

  it('reads the path of an input that was cut', () => {
    const tool_input = `{"file_path":"/repo/a.py","edits":[{"old":"x","new":"${'y'.repeat(50)}\\u00`;
    expect(told(claude('tool_result', { tool_name: 'Write', tool_input }))?.[1]).toEqual([
      'file_edited',
      { extension: '.py' },
    ]);
  });

  it.each([
    ['PostToolUse:mcp__a__b', 'mcp__a__b'],
    ['PostToolUse', ''],
    ['FileChanged:/repo/secret/.env', ''],
  ])('runs as many hooks as it says for %s', (hook_name, matcher) => {
    const hook = ['hook_run', { event: 'PostToolUse', matcher, command: 'unknown' }];
    expect(told(claude('hook_execution_complete', { hook_event: 'PostToolUse', hook_name, num_hooks: '2' }))).toEqual([
      hook,
      hook,
    ]);
  });

  it.each([
    ['commit', 'git_commit'],
    ['pull_request', 'pull_request_created'],
    ['session', 'session_started'],
  ])('counts the metric of %s', (metric, type) => {
    const facts = mapped(aPoint(CLAUDE, `claude_code.${metric}.count`, 3));
    expect(facts?.map((fact) => fact.type)).toEqual([type, type, type]);
    expect(new Set(facts?.map(({ part }) => part)).size).toBe(3);
  });

  it('does not take a look at the list of agents for a session', () => {
    expect(told(aPoint(CLAUDE, 'claude_code.session.count', 1, { start_type: 'agents_view' }))).toEqual([]);
    expect(told(aPoint(CLAUDE, 'claude_code.session.count', 1, { start_type: 'resume' }))).toHaveLength(1);
  });

  it.each([
    [{ 'app.entrypoint': 'cli' }, 'terminal-ui'],
    [{ 'app.entrypoint': 'sdk-ts' }, 'non-interactive-cli'],
    [{ 'app.entrypoint': 'claude-vscode', query_source: 'sdk' }, undefined],
    [{ query_source: 'repl_main_thread' }, 'terminal-ui'],
    [{ query_source: 'sdk' }, 'non-interactive-cli'],
    [{}, undefined],
  ])('with %j has the client %p', (attributes, client) => {
    expect(clientOf(claude('assistant_response', attributes))).toBe(client);
  });
});

describe('Gemini CLI', () => {
  it('has its thoughts apart from its output, and what was cached in its input', () => {
    const tokens = { input_token_count: 100, output_token_count: 5, thoughts_token_count: 7 };
    const record = gemini('api_response', { model: 'm', ...tokens, cached_content_token_count: 40, role: 'utility' });
    expect(told(record)).toEqual([
      ['model_call', { modelId: 'm', inputTokens: 100, outputTokens: 12, cacheReadTokens: 40, thinkingTokens: 7 }],
    ]);
  });

  it('does not count a tool that was refused', () => {
    expect(told(gemini('tool_call', { function_name: 'write_file', decision: 'reject' }))).toEqual([]);
    expect(told(gemini('tool_call', { function_name: 'write_file', decision: 'auto_accept' }))).toHaveLength(1);
  });

  it.each([
    ['ping', 'Demo', { tool: 'mcp__Demo__ping', mcpServer: 'Demo' }],
    ['mcp_Demo_ping', 'Demo', { tool: 'mcp__Demo__ping', mcpServer: 'Demo' }],
    ['Demo__ping', 'Demo', { tool: 'mcp__Demo__ping', mcpServer: 'Demo' }],
    ['ping', '', { tool: 'mcp__unknown__ping', mcpServer: 'unknown' }],
  ])('calls %p of the server %p', (function_name, mcp_server_name, fields) => {
    const record = gemini('tool_call', { function_name, mcp_server_name, tool_type: 'mcp' });
    expect(told(record)).toEqual([['tool_call', fields]]);
  });

  it('tells of skills and of commits by what the tools were given', () => {
    const skill = { function_name: 'activate_skill', function_args: '{"name":"docs"}' };
    expect(told(gemini('tool_call', skill))?.[1]).toEqual(['skill_used', { name: 'docs' }]);
    const shell = { function_name: 'run_shell_command', function_args: '{"command":"git commit -m x"}' };
    expect(told(gemini('tool_call', shell))?.[1]).toEqual(['git_commit', {}]);
    expect(told(gemini('tool_call', { ...shell, success: false }))).toHaveLength(1);
  });

  it.each([
    ['create', [['file_created', { extension: '.py' }]]],
    ['update', [['file_edited', { extension: '.py' }]]],
    ['read', []],
  ])('operates on a file: %s', (operation, facts) => {
    const attributes = { operation, extension: '.py', programming_language: 'python' };
    expect(told(gemini('file_operation', attributes))).toEqual(facts);
  });

  it('tells its commands', () => {
    expect(told(gemini('slash_command', { command: 'chat', subcommand: 'list' }))).toEqual([
      ['slash_command', { name: 'chat' }],
    ]);
  });

  it.each([
    ['h1', 'h1'],
    ['/home/me/hooks/check.sh --key=abc', 'check.sh'],
    ['KEY=abc run', 'unknown'],
    ['', 'unknown'],
  ])('tells of the hook %p as %p', (hook_name, command) => {
    expect(told(gemini('hook_call', { hook_event_name: 'AfterTool', hook_name }))).toEqual([
      ['hook_run', { event: 'AfterTool', matcher: '', command }],
    ]);
  });

  it.each([
    [{ interactive: true }, 'terminal-ui'],
    [{ interactive: 'false' }, 'non-interactive-cli'],
    [{}, undefined],
  ])('with %j has the client %p', (attributes, client) => {
    expect(clientOf(gemini('user_prompt', attributes))).toBe(client);
  });

  it('has its session in the resource when it is not in the record', () => {
    const record = { ...gemini('user_prompt', {}), resource: { 'service.name': GEMINI, 'session.id': 's-1' } };
    expect(mapped(record)?.[0]?.sessionId).toBe('s-1');
  });
});

describe('Codex', () => {
  const completed = { 'event.kind': 'response.completed', model: 'm' };

  it('ends an answer twice and counts it once, with what was cached in its input', () => {
    expect(told(codex('sse_event', completed))).toEqual([]);
    expect(told(codex('sse_event', { 'event.kind': 'response.created', input_token_count: '1' }))).toEqual([]);
    const counts = { input_token_count: '100', output_token_count: '20', cached_token_count: 60 };
    const more = { cache_write_token_count: '10', reasoning_token_count: '15', tool_token_count: '120' };
    expect(told(codex('sse_event', { ...completed, ...counts, ...more }))).toEqual([
      [
        'model_call',
        {
          modelId: 'm',
          inputTokens: 100,
          outputTokens: 20,
          cacheReadTokens: 60,
          cacheWriteTokens: 10,
          thinkingTokens: 15,
        },
      ],
      ['assistant_message', {}],
    ]);
  });

  it.each([
    ['ping', { tool: 'mcp__demo__ping', mcpServer: 'demo' }],
    ['mcp__demo__ping', { tool: 'mcp__demo__ping', mcpServer: 'demo' }],
  ])('calls %p of a server', (tool_name, fields) => {
    expect(told(codex('tool_result', { tool_name, mcp_server: 'demo' }))).toEqual([['tool_call', fields]]);
  });

  const PATCH = [
    '*** Begin Patch',
    '*** Add File: src/new.ts',
    '+*** Add File: not/this.rb',
    '*** Update File: /repo/old.py',
    '*** Delete File: gone.go',
    '*** End Patch',
  ].join('\n');
  const FILES = [
    ['file_created', { extension: '.ts' }],
    ['file_edited', { extension: '.py' }],
  ];

  it.each([
    ['as they are', 'apply_patch', PATCH],
    ['as an argument', 'apply_patch', JSON.stringify({ input: PATCH })],
    ['in a command', 'shell', JSON.stringify({ command: ['bash', '-lc', `apply_patch <<'EOF'\n${PATCH}\nEOF`] })],
    ['in an argument that was cut', 'apply_patch', JSON.stringify({ input: PATCH }).slice(0, -9)],
  ])('reads patches %s', (_where, tool_name, args) => {
    expect(told(codex('tool_result', { tool_name, arguments: args, success: 'true' }))?.slice(1)).toEqual(FILES);
    expect(told(codex('tool_result', { tool_name, arguments: args, success: 'false' }))).toHaveLength(1);
  });

  it.each([
    ['Process exited with code 0', 2],
    ['Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n', 1],
    ['Exit code: 128\nWall time: 0.1 seconds', 1],
  ])('makes no commit when the command failed: %j', (output, facts) => {
    const attributes = { tool_name: 'exec_command', success: 'true', arguments: '{"cmd":"git commit -qm t"}', output };
    expect(told(codex('tool_result', attributes))).toHaveLength(facts);
  });

  it('tells of skills and hooks in metrics only', () => {
    expect(told(aPoint(CODEX, 'codex.skill.injected', 1, { skill: 'docs', status: 'ok' }))).toEqual([
      ['skill_used', { name: 'docs' }],
    ]);
    expect(told(aPoint(CODEX, 'codex.skill.injected', 1, { skill: 'docs', status: 'error' }))).toEqual([]);
    expect(told(aPoint(CODEX, 'codex.hooks.run', 2, { event: 'Stop' }))).toHaveLength(2);
  });

  it.each([
    ['codex_exec', 'non-interactive-cli'],
    ['codex-tui', 'terminal-ui'],
    ['codex_vscode', undefined],
    ['', 'terminal-ui'],
  ])('with the originator %p has the client %p', (originator, client) => {
    expect(clientOf(codex('user_prompt', { originator }))).toBe(client);
  });
});

describe('opencode', () => {
  const call = (tool: string, args: object, metadata?: object) =>
    aSpan('opencode', 'ai.toolCall', {
      'ai.toolCall.name': tool,
      'ai.toolCall.args': JSON.stringify(args),
      ...(metadata && { 'ai.toolCall.result': JSON.stringify({ metadata }) }),
      'session.id': 's-1',
    });

  it.each([
    ['write', 'Write', { filePath: '/a/b.go' }, { exists: false }, ['file_created', { extension: '.go' }]],
    ['write', 'Write', { filePath: '/a/b.go' }, { exists: true }, ['file_edited', { extension: '.go' }]],
    ['edit', 'Edit', { filePath: '/a/b.go' }, {}, ['file_edited', { extension: '.go' }]],
    ['bash', 'Bash', { command: 'git commit -m x' }, { exit: 0 }, ['git_commit', {}]],
    ['skill', 'Skill', { name: 'docs' }, {}, ['skill_used', { name: 'docs' }]],
  ])('tells what %s, here %s, of %j with %j did', (sent, tool, args, metadata, fact) => {
    const session = ['session_started', {}];
    expect(told(call(sent, args, metadata))).toEqual([['tool_call', { tool }], fact, session]);
    expect(told(call(sent, args))).toEqual([['tool_call', { tool }], session]);
  });

  it('announces a session with whatever happens in it', () => {
    expect(mapped(call('read', {}, {}))?.[1]).toEqual({
      type: 'session_started',
      timeMs: 1_794_700_002_000,
      sessionId: 's-1',
      fields: {},
      identity: 'session s-1',
    });
  });

  it.each(['ai.streamText', 'Tool.execute', 'sql.execute', 'FileSystem.readFile'])('counts nothing of %s', (name) => {
    expect(told(aSpan('opencode', name, { 'ai.usage.inputTokens': 5, 'gen_ai.usage.input_tokens': 5 }))).toEqual([]);
  });
});

describe('the conventions', () => {
  const usage = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': '20', 'gen_ai.request.model': 'm' };
  const span = (operation: string, attributes: Attributes) =>
    aSpan('other', `${operation} m`, { 'gen_ai.operation.name': operation, ...attributes });

  it.each(['chat', 'text_completion', 'generate_content'])('have the model call %s', (operation) => {
    expect(told(span(operation, usage))).toEqual([
      ['model_call', { modelId: 'm', inputTokens: 100, outputTokens: 20 }],
    ]);
    expect(told(span(operation, { 'gen_ai.request.model': 'm' }))).toEqual([]);
  });

  it.each([
    ['gen_ai.usage.cache_read.input_tokens', 'cacheReadTokens'],
    ['gen_ai.usage.cache_creation.input_tokens', 'cacheWriteTokens'],
    ['gen_ai.usage.cache_write.input_tokens', 'cacheWriteTokens'],
    ['gen_ai.usage.reasoning.output_tokens', 'thinkingTokens'],
  ])('have %s', (attribute, field) => {
    expect(told(span('chat', { ...usage, [attribute]: 7 }))?.[0]?.[1]).toMatchObject({ [field]: 7 });
  });

  it('have tools, and sessions that nothing announces', () => {
    const record = span('execute_tool', { 'gen_ai.tool.name': 'search', 'gen_ai.conversation.id': 'c-1' });
    expect(told(record)).toEqual([
      ['tool_call', { tool: 'search' }],
      ['session_started', {}],
    ]);
    expect(mapped(record)?.[1]?.identity).toBe('session c-1');
  });

  it('tell everything twice, of which spans count', () => {
    expect(told(span('invoke_agent', usage))).toEqual([]);
    expect(told(aLog('other', { 'event.name': 'gen_ai.client.inference.operation.details', ...usage }))).toEqual([]);
    expect(told(aLog('other', usage, { eventName: 'gen_ai.client.inference.operation.details' }))).toEqual([]);
    expect(told(aPoint('other', 'gen_ai.client.token.usage', 5))).toEqual([]);
  });
});

describe('what nobody knows', () => {
  it.each([CLAUDE, GEMINI, CODEX, 'opencode', 'other'])('is left alone: %s', (service) => {
    expect(mapped(aLog(service, { 'event.name': 'constructor' }))).toBeNull();
    expect(mapped(aPoint(service, 'toString', 1))).toBeNull();
    if (service !== CODEX) expect(mapped(aSpan(service, '__proto__', {}))).toBeNull();
  });

  it.each([
    ['claude_code.new_thing', 'claude_code.new_thing'],
    ['x'.repeat(500), 'x'.repeat(100)],
    ['what <b>I</b> wrote', 'unnamed'],
    ['', 'unnamed'],
  ])('has a name that can be shown: %j', (event, name) => {
    for (const service of [CLAUDE, GEMINI, CODEX, 'opencode', 'other']) {
      const adapter = adapterFor({ resource: { 'service.name': service }, scope: '' });
      expect(adapter.nameOf(aLog(service, { 'event.name': event }, { body: 'what I wrote' }))).toBe(name);
      expect(adapter.nameOf(aSpan(service, event, {}))).toBe(name);
    }
  });
});
