import { basename } from 'node:path';
import { CHILD, once } from './model-script.mjs';

const TEXT = "print('hello')\n";
const USED = { inputTokens: 1000, cacheReadTokens: 400, outputTokens: 50 };
const asText = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
const mcp = ({ tools, argument, results }) => {
  const name = results.length > 0 ? undefined : tools.find((tool) => tool.includes(`${argument}_notes_add`));
  return name === undefined ? null : { name, input: { text: 'hello' } };
};

/** Anthropic's messages: what is read from the cache is told apart from the input. */
const anthropic = {
  isMeant: (path) => path.endsWith('/v1/messages'),
  isNamed: true,
  tokens: USED,
  tools: {
    write: once({ Write: (path) => ({ file_path: path, content: TEXT }) }),
    run: once({ Bash: (command) => ({ command, description: 'a command' }) }),
    delegate: once(
      Object.fromEntries(
        ['Agent', 'Task'].map((name) => [
          name,
          () => ({ description: 'help', prompt: CHILD, subagent_type: 'general-purpose', run_in_background: false }),
        ]),
      ),
    ),
    mcp,
  },
  isStream: ({ stream }) => stream === true,
  read: ({ messages = [], tools = [] }) => ({
    tools: tools.map(({ name }) => name),
    items: messages.flatMap(({ role, content }) => {
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      return blocks.flatMap((block) => {
        if (block.type === 'tool_result') return [{ result: asText(block.content) }];
        return role === 'user' && block.type === 'text' ? [{ said: block.text }] : [];
      });
    }),
  }),
  answer: (decision, { model }) => ({
    ...anthropicHead(model),
    ...anthropicEnd(decision),
    content: [anthropicBlock(decision)],
  }),
  stream: (decision, { model }) => {
    const { call, text } = decision;
    const start = call ? { type: 'tool_use', id: call.id, name: call.name, input: {} } : { type: 'text', text: '' };
    const delta = call
      ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
      : { type: 'text_delta', text };
    const begin = [
      { type: 'message_start', message: { ...anthropicHead(model), stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
    ];
    if (decision.isStalled) return begin;
    return [
      ...begin,
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: anthropicEnd(decision), usage: { output_tokens: 50 } },
      { type: 'message_stop' },
    ];
  },
};

let messages = 0;
const anthropicHead = (model) => ({
  id: `msg_${++messages}`,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  usage: { input_tokens: 600, cache_read_input_tokens: 400, cache_creation_input_tokens: 0, output_tokens: 50 },
});
const anthropicEnd = ({ call }) => ({ stop_reason: call ? 'tool_use' : 'end_turn' });
const anthropicBlock = ({ call, text }) =>
  call ? { type: 'tool_use', id: call.id, name: call.name, input: call.input } : { type: 'text', text };

/** OpenAI's responses, as Codex speaks them. */
const patchOf = (path) => `*** Begin Patch\n*** Add File: ${basename(path)}\n+${TEXT.trim()}\n*** End Patch\n`;
const openAiResponses = {
  isMeant: (path) => path.endsWith('/v1/responses'),
  isNamed: true,
  tokens: { ...USED, thinkingTokens: 10 },
  tools: {
    write: ({ tools, argument, results }) => {
      const patch = once({
        apply_patch: (path) => patchOf(path),
        shell: (path) => ({ command: ['apply_patch', patchOf(path)] }),
        exec_command: (path) => ({ cmd: `apply_patch <<'EOF'\n${patchOf(path)}EOF` }),
        shell_command: (path) => ({ command: `apply_patch <<'EOF'\n${patchOf(path)}EOF` }),
      });
      return patch({ tools, argument, results });
    },
    run: once({
      exec_command: (command) => ({ cmd: command }),
      shell_command: (command) => ({ command }),
      shell: (command) => ({ command: ['bash', '-lc', command] }),
    }),
    delegate: ({ tools, results }) => {
      const [spawn, wait] = [
        tools.find((name) => name.endsWith('spawn_agent')),
        tools.find((name) => /(?:^|[._])wait(?:_agent)?$/.test(name)),
      ];
      if (results.length === 0 && spawn) return { name: spawn, input: { message: CHILD, task_name: 'help' } };
      const id = /"agent_id":\s*"([^"]+)"|"task_name":\s*"([^"]+)"/.exec(results[0] ?? '');
      if (results.length !== 1 || !wait || !id) return null;
      return { name: wait, input: { ids: [id[1] ?? id[2]], targets: [id[1] ?? id[2]], timeout_ms: 10_000 } };
    },
    mcp,
  },
  isStream: () => true,
  read: ({ input = [], tools = [] }) => ({
    tools: tools.flatMap((tool) => [tool.name ?? tool.type, ...(tool.tools ?? []).map(({ name }) => name)]),
    custom: tools.filter(({ type }) => type === 'custom').map(({ name }) => name),
    items: (Array.isArray(input) ? input : [{ role: 'user', content: input }]).flatMap(
      ({ type, role, content, output }) => {
        if (type === 'function_call_output' || type === 'custom_tool_call_output') return [{ result: asText(output) }];
        if (role !== 'user') return [];
        return typeof content === 'string' ? [{ said: content }] : content.map(({ text = '' }) => ({ said: text }));
      },
    ),
  }),
  stream: ({ call, text, isStalled }, { model, tools = [] }) => {
    const id = `item_${++messages}`;
    const space = tools.find((tool) => tool.tools?.some(({ name }) => name === call?.name))?.name;
    const isCustom = tools.some(({ type, name }) => type === 'custom' && name === call?.name);
    const used = isCustom
      ? { type: 'custom_tool_call', id, call_id: call.id, name: call.name, input: asText(call.input) }
      : {
          type: 'function_call',
          id,
          call_id: call?.id,
          name: call?.name,
          arguments: asText(call?.input),
          ...(space ? { namespace: space } : {}),
        };
    const said = { type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
    const item = { ...(call ? used : said), status: 'completed' };
    const response = { id: `resp_${messages}`, object: 'response', model, output: [item], status: 'completed' };
    const usage = {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 400 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 10 },
      total_tokens: 1050,
    };
    const begin = [
      { type: 'response.created', response: { ...response, output: [], status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
    ];
    if (isStalled)
      return [
        ...begin,
        { type: 'response.output_text.delta', item_id: id, output_index: 0, content_index: 0, delta: text },
      ];
    return [
      ...begin,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, usage } },
    ];
  },
};

/** OpenAI's chat completions, as opencode speaks them. */
const openAiChat = {
  isMeant: (path) => path.endsWith('/chat/completions'),
  tokens: USED,
  tools: {
    write: once({ write: (path) => ({ filePath: path, content: TEXT }) }),
    run: once({ bash: (command) => ({ command, description: 'a command' }) }),
    delegate: once({ task: () => ({ description: 'help', prompt: CHILD, subagent_type: 'general' }) }),
    mcp,
  },
  isStream: ({ stream }) => stream === true,
  read: ({ messages: sent = [], tools = [] }) => ({
    tools: tools.map((tool) => tool.function?.name),
    items: sent.flatMap(({ role, content }) => {
      const text = Array.isArray(content) ? content.map((part) => part.text ?? '').join('\n') : (content ?? '');
      if (role === 'tool') return [{ result: text }];
      return role === 'user' ? [{ said: text }] : [];
    }),
  }),
  answer: ({ text = 'ok' }, { model }) => ({
    ...chatHead(model),
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: CHAT_USAGE,
  }),
  stream: ({ call, text, isStalled }, { model }) => {
    const used = call && {
      index: 0,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    };
    const delta = { role: 'assistant', ...(call ? { tool_calls: [used] } : { content: text }) };
    const chunk = (choices, more = {}) => ({ ...chatHead(model), object: 'chat.completion.chunk', choices, ...more });
    const begin = chunk([{ index: 0, delta, finish_reason: null }]);
    if (isStalled) return [begin];
    const end = chunk([{ index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop' }]);
    return [begin, end, chunk([], { usage: CHAT_USAGE }), '[DONE]'];
  },
};
const chatHead = (model) => ({ id: `chat_${++messages}`, created: 1, model });
const CHAT_USAGE = {
  prompt_tokens: 1000,
  prompt_tokens_details: { cached_tokens: 400 },
  completion_tokens: 50,
  total_tokens: 1050,
};

/** Gemini: the input includes what was cached, thoughts come on top of the output. */
const gemini = {
  isMeant: (path) => /generateContent$/i.test(path),
  tokens: { inputTokens: 1000, cacheReadTokens: 400, outputTokens: 60, thinkingTokens: 10 },
  tools: {
    write: once({ write_file: (path) => ({ file_path: path, content: TEXT }) }),
    run: once({ run_shell_command: (command) => ({ command, description: 'a command' }) }),
    delegate: once({
      invoke_agent: () => ({ agent_name: 'generalist', prompt: CHILD }),
      invoke_subagent: () => ({ subagent_name: 'generalist', prompt: CHILD }),
      generalist: () => ({ request: CHILD }),
    }),
    mcp,
  },
  isStream: (_body, path) => path.includes('streamGenerateContent'),
  read: ({ contents = [], tools = [], generationConfig = {} }) => ({
    isQuestion: Boolean(generationConfig.responseJsonSchema ?? generationConfig.responseSchema),
    tools: tools.flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name)),
    items: contents.flatMap(({ role, parts = [] }) =>
      parts.flatMap(({ text, functionResponse }) => {
        if (functionResponse) return [{ result: asText(functionResponse.response) }];
        return role === 'user' && text ? [{ said: text }] : [];
      }),
    ),
  }),
  answer: (decision, body) => geminiChunk(decision, body),
  stream: (decision, body) => [geminiChunk(decision, body)],
};

function geminiChunk({ call, text, isStalled }, { generationConfig = {} }) {
  const isQuestion = Boolean(generationConfig.responseJsonSchema ?? generationConfig.responseSchema);
  const choice = { reasoning: 'small', model_choice: 'flash', complexity_reasoning: 'small', complexity_score: 10 };
  const said = { text: isQuestion ? JSON.stringify(choice) : text };
  const part = call ? { functionCall: { name: call.name, args: call.input } } : said;
  const candidate = { index: 0, content: { role: 'model', parts: [part] } };
  return {
    candidates: [isStalled ? candidate : { ...candidate, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 1000,
      cachedContentTokenCount: 400,
      candidatesTokenCount: 50,
      thoughtsTokenCount: 10,
      totalTokenCount: 1060,
    },
    modelVersion: 'gemini-stub',
  };
}

export const WIRES = [anthropic, openAiResponses, openAiChat, gemini];
