import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/* An MCP server with one tool, which changes something: it writes to the file in NOTES_FILE. */
const TOOL = {
  name: 'notes_add',
  description: 'adds a note',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
};
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1' },
  }),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': ({ arguments: { text } }) => {
    appendFileSync(process.env.NOTES_FILE, `${text}\n`);
    return { content: [{ type: 'text', text: 'noted' }] };
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = ANSWERS[method]?.(params ?? {});
  const answer = result ? { result } : { error: { code: -32601, message: 'unknown' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
