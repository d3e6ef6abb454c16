// node bad-agent.mjs <way>: an agent that opens a session and then misbehaves in one of many ways.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [way] = process.argv.slice(2);
const raw = (text) => process.stdout.write(text);
const send = (message) => raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const updateOf = (update) => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } });
const chunk = (text) => updateOf({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const end = (id) => send({ id, result: { stopReason: 'end_turn' } });
const stay = () => setInterval(() => undefined, 1_000);

/** A process in the same group that ignores signals. */
function startGrandchild(stdio) {
  const code = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stderr.write('up');";
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', stdio, 'pipe'] });
  return new Promise((resolve) => child.stderr.once('data', () => resolve(child.pid)));
}

const onPrompt = {
  async garbage(id) {
    raw('Downloading the internet...\n\n{"half": \n[1,2]\n"text"\nnull\n{"jsonrpc":"1.0","method":"x"}\n{}\n');
    send({ id: 999, result: {} });
    send({ id: null, error: { code: 1, message: 'x' } });
    send({ method: 'session/update' });
    send({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'brand_new', x: 1 } } });
    send({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'tool_call' } } });
    send({ ...chunk('not mine'), params: { ...chunk('not mine').params, sessionId: 'another' } });
    send({ method: 'unknown/notification', params: {} });
    send({ id: 'a', method: 'fs/read_text_file', params: { sessionId: 's', path: '/etc/passwd' } });
    send({ id: 'b', method: 'session/request_permission', params: { options: 'none' } });
    raw(`${JSON.stringify(chunk('still here'))}\r\n`);
    end(id);
  },
  'huge-line': async () => {
    raw('{"jsonrpc":"2.0","x":"');
    for (let i = 0; i < 17; i += 1) raw('x'.repeat(1024 * 1024));
  },
  async exit() {
    send(chunk('last words'));
    process.stderr.write(`${'noise '.repeat(5_000)}the disk is full\n`);
    process.exit(3);
  },
  'answer-and-exit': async (id) => {
    send(chunk('done'));
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } })}`, () =>
      process.exit(0),
    );
  },
  'close-output': async () => {
    process.stdout.end();
    stay();
  },
  async hang() {
    send(chunk('started'));
  },
  async deaf() {
    send(chunk('started'));
  },
  async stubborn() {
    process.on('SIGTERM', () => undefined);
    send(chunk(JSON.stringify([process.pid, await startGrandchild('ignore')])));
  },
  async orphan() {
    const pid = await startGrandchild('inherit');
    process.stdout.write(`${JSON.stringify(chunk(JSON.stringify([pid])))}\n`, () => process.exit(1));
  },
  async burst(id) {
    const lines = Array.from({ length: 10_000 }, (_, i) => `${JSON.stringify(chunk(`${i} `))}\n`);
    raw(`${lines.join('')}${JSON.stringify({ jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } })}\n`);
  },
};

const answers = {
  initialize: () => ({
    protocolVersion: way === 'version' ? 2 : 1,
    agentCapabilities: { loadSession: way.startsWith('load') },
    authMethods: way === 'login' ? [{ id: 'key', name: 'API key' }] : [],
  }),
  'session/new': () => (way === 'no-id' ? {} : { sessionId: 's' }),
  'session/load': () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (way === 'silent') process.stderr.write(`waiting for nothing in ${process.pid}\n`);
  else if (method === 'session/prompt') await (onPrompt[way] ?? end)(id);
  else if (way === 'login' && method === 'session/new') {
    send({ id, error: { code: -32000, message: 'Authentication required' } });
  } else if (way === 'load-fails' && method === 'session/load') {
    send({ id, error: { code: -32002, message: 'Resource not found' } });
  } else {
    if (way === 'load' && method === 'session/load') {
      send(chunk('said long ago'));
      send(updateOf({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'init' }] }));
    }
    if (method in answers) send({ id, result: answers[method]() });
  }
}
if (['hang', 'stubborn', 'silent'].includes(way)) stay();
