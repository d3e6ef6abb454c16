// node headstrong-agent.mjs: an agent that uses the tool of its message, "<how> <kind> <status> <command or file>".
// `how`: "act" does not ask, "ask" asks and obeys, "defy" asks and goes on when it is refused, "stop" ends its turn then.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (fields) => send({ method: 'session/update', params: { sessionId: 's', update: fields } });
const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const waiting = new Map();
let cwd = '.';
let count = 0;

async function use(id, [how, kind, status, ...rest]) {
  count += 1;
  const toolCallId = `call-${count}`;
  const what = rest.join(' ');
  const rawInput = kind === 'execute' ? { command: what } : { path: what };
  const call = { toolCallId, title: 'Tool', kind, rawInput };
  update({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
  const isAllowed = how === 'act' || (await ask(call));
  if (!isAllowed && how === 'stop') return send({ id, result: { stopReason: 'cancelled' } });
  const isDone = isAllowed || how === 'defy';
  if (isDone && kind === 'edit' && status === 'completed') writeFileSync(join(cwd, what), 'changed\n');
  const exit = kind === 'execute' && isDone ? { rawOutput: { exit_code: status === 'failed' ? 1 : 0 } } : {};
  update({ sessionUpdate: 'tool_call_update', toolCallId, status: isDone ? status : 'failed', ...exit });
  setTimeout(() => {
    appendFileSync(join(cwd, 'went-on.txt'), `${what}\n`);
    send({ id, result: { stopReason: 'end_turn' } });
  }, 800);
}

function ask(toolCall) {
  const id = `ask-${count}`;
  send({ id, method: 'session/request_permission', params: { sessionId: 's', toolCall, options } });
  return new Promise((resolve) => waiting.set(id, (answer) => resolve(answer.outcome.optionId === 'yes')));
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize')
    send({ id, result: { protocolVersion: 1, agentInfo: { name: 'headstrong', version: '1' } } });
  else if (method === 'session/new') {
    cwd = params.cwd;
    send({ id, result: { sessionId: 's' } });
  } else if (method === 'session/prompt') void use(id, params.prompt[0].text.split(' '));
  else if (method === undefined) waiting.get(id)?.(result);
}
