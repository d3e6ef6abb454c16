// node gemini.mjs: an agent that is taken for Gemini CLI by its name, and reports its model calls both over ACP (100 tokens of
// input) and, when that is switched on, by telemetry (1,000 tokens, with a prompt that must not count).
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const { env } = process;

async function report(time) {
  const headers = Object.fromEntries(env.OTEL_EXPORTER_OTLP_HEADERS.split(',').map((pair) => pair.split('=')));
  const record = (name, values) => ({
    timeUnixNano: `${time}000000`,
    attributes: Object.entries({ 'event.name': `gemini_cli.${name}`, 'session.id': 'own', ...values }).map(
      ([key, value]) => ({ key, value: typeof value === 'number' ? { intValue: value } : { stringValue: value } }),
    ),
  });
  const counts = {
    input_token_count: 1000,
    output_token_count: 50,
    cached_content_token_count: 400,
    thoughts_token_count: 0,
  };
  const logRecords = [record('user_prompt', {}), record('api_response', { model: 'gemini-2.5-flash', ...counts })];
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'gemini-cli' } }] };
  const body = JSON.stringify({
    resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'gemini-cli' }, logRecords }] }],
  });
  const url = `${env.GEMINI_TELEMETRY_OTLP_ENDPOINT}/v1/logs`;
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  if (!answer.ok) process.stderr.write(`${answer.status} ${await answer.text()}\n`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize')
    send({ id, result: { protocolVersion: 1, agentInfo: { name: 'gemini-cli', version: '1' } } });
  else if (method === 'session/new') send({ id, result: { sessionId: 's' } });
  else if (method === 'session/prompt') {
    if (env.GEMINI_TELEMETRY_ENABLED === 'true') await report(Date.now());
    send({ id, result: { stopReason: 'end_turn', usage: { inputTokens: 100, outputTokens: 5, totalTokens: 105 } } });
  }
}
