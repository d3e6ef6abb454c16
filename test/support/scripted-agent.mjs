// node scripted-agent.mjs recording.jsonl [heard.jsonl]: replays the agent's side of a recorded conversation.
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [recording, heardFile] = process.argv.slice(2);
const lines = readFileSync(recording, 'utf8').trim().split('\n').map(JSON.parse);
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** Replays until it is the client's turn. */
function play(start, requestId) {
  for (let i = start; i < lines.length && lines[i].dir === 'agent->client'; i += 1) {
    const message = { ...lines[i], dir: undefined };
    send('method' in message ? message : { ...message, id: requestId });
  }
}

let prompted = null;
for await (const line of createInterface({ input: process.stdin })) {
  if (heardFile) appendFileSync(heardFile, `${line}\n`);
  const message = JSON.parse(line);
  if (message.method === undefined) {
    const answer = lines.findIndex((one) => one.dir === 'client->agent' && 'result' in one && one.id === message.id);
    play(answer + 1, prompted);
    continue;
  }
  if (message.method === 'session/prompt') prompted = message.id;
  const said = lines.findIndex((one) => one.dir === 'client->agent' && one.method === message.method);
  if (said === -1) send({ jsonrpc: '2.0', id: message.id, result: {} });
  else play(said + 1, message.id);
}
