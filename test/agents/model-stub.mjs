import { createServer } from 'node:http';
import { decide } from './model-script.mjs';
import { WIRES } from './model-wires.mjs';

/*
 * Stands in for the models of four providers, so that real agents can be run without network and keys. What it does is in
 * the prompt (model-script.mjs). What it claims to have used is fixed: 1,000 tokens of input, 400 of them cached, and 50 of
 * output a call, with Gemini's 10 thoughts on top. It keeps count of what it answered.
 */
export async function startModelStub() {
  const calls = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { pathname } = new URL(request.url, 'http://stub');
    const wire = WIRES.find(({ isMeant }) => isMeant(pathname));
    if (!wire) return response.writeHead(request.method === 'HEAD' ? 200 : 404).end();
    const body = JSON.parse(text || '{}');
    const conversation = wire.read(body);
    const decision = decide(conversation, wire.tools);
    const isStream = wire.isStream(body, pathname);
    const call = {
      model: body.model ?? /models\/([^:/]+)/.exec(pathname)?.[1],
      isSide: conversation.tools.length === 0,
    };
    calls.push({ ...call, decision, ...wire.tokens, isComplete: !decision.isStalled });
    if (process.env.VERBOSE) console.log(summary(call, decision, conversation));
    if (!isStream) {
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(wire.answer(decision, body)));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of wire.stream(decision, body)) {
      if (wire.isNamed) response.write(`event: ${event.type}\n`);
      response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    }
    if (!decision.isStalled) response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    calls,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function summary({ model }, decision, { items, tools }) {
  const result = items.findLast((item) => item.result !== undefined)?.result.slice(0, 300);
  return `model ${model} (${tools.length} tools, last result ${result}): ${JSON.stringify(decision)}`;
}
