import { createServer } from 'node:http';

/*
 * Stands in for the models of four providers, so that real agents can be run without network and keys. In each
 * conversation it asks for one file to be written and, when that is done, says so. What it claims to have used is fixed:
 * 1,000 tokens of input, 400 of them cached, and 50 of output a call.
 */
const FILE = { name: 'hello.py', text: "print('hello')\n" };

export async function startModelStub() {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const answer = route(request.url, text === '' ? {} : JSON.parse(text));
    if (!answer) return response.writeHead(request.method === 'HEAD' ? 200 : 404).end();
    if (!answer.events)
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of answer.events) {
      if (answer.isNamed) response.write(`event: ${event.type}\n`);
      response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

function route(url, body) {
  const { pathname } = new URL(url, 'http://stub');
  if (pathname.endsWith('/v1/messages')) return anthropic(body);
  if (pathname.endsWith('/v1/responses')) return openAiResponses(body);
  if (pathname.endsWith('/chat/completions')) return openAiChat(body);
  if (pathname.includes('GenerateContent') || pathname.endsWith(':generateContent')) {
    return gemini(body, pathname.includes('streamGenerateContent'));
  }
  return null;
}

/** Anthropic's messages: what is read from the cache is told apart from the input. */
function anthropic(body) {
  const blocks = (body.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const isDone = blocks.some(({ type }) => type === 'tool_result');
  const canWrite = (body.tools ?? []).some(({ name }) => name === 'Write');
  const usage = { input_tokens: 600, cache_read_input_tokens: 400, cache_creation_input_tokens: 0, output_tokens: 50 };
  const head = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [],
    stop_reason: null,
    usage,
  };
  if (!body.stream) return { body: { ...head, content: [{ type: 'text', text: 'ok' }], stop_reason: 'end_turn' } };
  const isCall = !isDone && canWrite;
  const start = isCall ? { type: 'tool_use', id: 'toolu_1', name: 'Write', input: {} } : { type: 'text', text: '' };
  const input = { file_path: `${process.env.WORK_DIR ?? '/tmp'}/${FILE.name}`, content: FILE.text };
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
    : { type: 'text_delta', text: 'It is written.' };
  return {
    isNamed: true,
    events: [
      { type: 'message_start', message: head },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: isCall ? 'tool_use' : 'end_turn' }, usage: { output_tokens: 50 } },
      { type: 'message_stop' },
    ],
  };
}

/** OpenAI's responses, as Codex speaks them: files are written with a shell. */
function openAiResponses(body) {
  const isDone = (Array.isArray(body.input) ? body.input : []).some(({ type }) => type === 'function_call_output');
  const names = (body.tools ?? []).map(({ name, type }) => name ?? type);
  const script = `printf '%s' "${FILE.text.trim()}" > ${FILE.name} && git init -q . && git add -A && git -c user.name=a -c user.email=a@example.com commit -qm hello`;
  const inputs = {
    exec_command: { cmd: script },
    shell_command: { command: script },
    shell: { command: ['bash', '-lc', script] },
  };
  const name = Object.keys(inputs).find((known) => names.includes(known));
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name, arguments: JSON.stringify(inputs[name]) };
  const said = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'It is written.', annotations: [] }],
  };
  const item = { ...(isDone || !name ? said : call), status: 'completed' };
  const response = { id: 'resp_1', object: 'response', model: body.model, output: [item], status: 'completed' };
  const usage = {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 400 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 10 },
    total_tokens: 1050,
  };
  return {
    isNamed: true,
    events: [
      { type: 'response.created', response: { ...response, output: [], status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, usage } },
    ],
  };
}

/** OpenAI's chat completions, as opencode speaks them. */
function openAiChat(body) {
  const isDone = (body.messages ?? []).some(({ role }) => role === 'tool');
  const canWrite = (body.tools ?? []).some((tool) => tool.function?.name === 'write');
  const usage = {
    prompt_tokens: 1000,
    prompt_tokens_details: { cached_tokens: 400 },
    completion_tokens: 50,
    total_tokens: 1050,
  };
  const head = { id: 'chat_1', created: 1, model: body.model };
  if (!body.stream) {
    const choice = { index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' };
    return { body: { ...head, object: 'chat.completion', choices: [choice], usage } };
  }
  const isCall = canWrite && !isDone;
  const input = JSON.stringify({ filePath: `${process.env.WORK_DIR ?? '/tmp'}/${FILE.name}`, content: FILE.text });
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'write', arguments: input } };
  const delta = { role: 'assistant', ...(isCall ? { tool_calls: [call] } : { content: 'It is written.' }) };
  const chunk = (choices, more = {}) => ({ ...head, object: 'chat.completion.chunk', choices, ...more });
  return {
    events: [
      chunk([{ index: 0, delta, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: isCall ? 'tool_calls' : 'stop' }]),
      chunk([], { usage }),
      '[DONE]',
    ],
  };
}

/** Gemini: the input includes what was cached, thoughts come on top of the output. */
function gemini(body, isStream) {
  const parts = (body.contents ?? []).flatMap((content) => content.parts ?? []);
  const isDone = parts.some((part) => part.functionResponse);
  const names = (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name));
  const { responseJsonSchema, responseSchema } = body.generationConfig ?? {};
  const isQuestion = Boolean(responseJsonSchema ?? responseSchema);
  const choice = { reasoning: 'small', model_choice: 'flash', complexity_reasoning: 'small', complexity_score: 10 };
  const said = { text: isQuestion ? JSON.stringify(choice) : 'It is written.' };
  const call = { functionCall: { name: 'write_file', args: { file_path: FILE.name, content: FILE.text } } };
  const part = !isDone && names.includes('write_file') ? call : said;
  const answer = {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 1000,
      cachedContentTokenCount: 400,
      candidatesTokenCount: 50,
      thoughtsTokenCount: 10,
      totalTokenCount: 1060,
    },
    modelVersion: 'gemini-stub',
  };
  return isStream ? { events: [answer] } : { body: answer };
}
