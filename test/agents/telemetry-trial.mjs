import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startModelStub } from './model-stub.mjs';
import { binOf, execute, place, readAnalytics, startService } from './programs.mjs';

/** Lets an agent write a file by itself, with its telemetry pointed at the service; returns what is wrong, or null. */
export async function tryTelemetry(agent) {
  const directory = join(place, 'telemetry', agent.name.replace(' ', '-'));
  const [home, work] = ['home', 'work'].map((name) => join(directory, name));
  for (const path of [home, work]) mkdirSync(path, { recursive: true });
  const model = await startModelStub();
  const service = await startService(join(directory, 'data'));
  const context = { bin: binOf(agent.package), model: model.url, otlp: `${service.url}/api/otlp`, key: service.key };
  const { command, env } = agent.run({ ...context, home, work });
  const { code, output } = await execute(
    command[0],
    command.slice(1),
    { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', ...env },
    work,
    180_000,
  );
  await sleep(8000); // exporters may still be at it
  let seen = await readAnalytics(service);
  for (let i = 0; i < 10 && seen.users.length === 0; i++) {
    await sleep(5000); // a busy machine
    seen = await readAnalytics(service);
  }
  model.stop();
  service.child.kill('SIGTERM');
  if (process.env.VERBOSE) console.log(JSON.stringify(seen, null, 2));
  if (code !== 0) return `it ended with ${code}: ${output.slice(-500)}`;
  return judge(agent.expected, seen);
}

function judge({ models, tools }, { tokens, tools: used, users }) {
  if (users.length !== 1) return `${users.length} users were seen`;
  if (!(tokens.billable_tokens > 0)) return 'no tokens were seen';
  const missing = (known, found) => known && !known.some((name) => found.includes(name));
  if (missing(models, tokens.models)) return `models were ${tokens.models.join(', ')}`;
  if (missing(tools, used)) return `tools were ${used.join(', ')}`;
  return null;
}
