import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CASES } from './acp-cases.mjs';
import { AcpMachine } from './acp-machine.mjs';
import { startModelStub } from './model-stub.mjs';
import { binOf, place, readAnalytics, startService } from './programs.mjs';

const FIELDS = ['inputTokens', 'outputTokens', 'cacheReadTokens'];

/** Drives an agent through the agent client; returns a row a case: { name, problem, reported, answered }. */
export async function tryAcp(agent) {
  const directory = join(place, 'acp', agent.name.replace(/\W+/g, '-'));
  const model = await startModelStub();
  const service = await startService(join(directory, 'data'), 'now');
  const machine = new AcpMachine(service, model, directory);
  const bin = binOf(agent.package);
  if (!existsSync(bin)) throw new Error(`there is no ${bin}`);
  try {
    await machine.connect(
      agent.launch({ bin, model: model.url, home: machine.home }),
      await machine.telemetryArgs(agent),
    );
    const rows = [];
    for (const one of CASES) {
      if ((one.needsMcp && !agent.hasMcp) || (one.needsSubagents && agent.hasNoSubagents)) continue;
      if (process.env.CASE && !one.name.includes(process.env.CASE)) continue;
      rows.push(await runCase(agent, one, machine));
    }
    return [...rows, await judgeNames(agent, machine)];
  } finally {
    await machine.client?.stop();
    if (process.env.VERBOSE) console.log(machine.client?.output);
    model.stop();
    service.child.kill('SIGTERM');
  }
}

async function runCase(agent, { name, level, run }, machine) {
  const session = await machine.session(level);
  const seen = await run(machine, session).catch((error) => error.message);
  const isAsked = machine.calls().length > 0;
  const problem = isAsked ? seen : `the model was never asked: ${(await machine.endOf(session)).slice(-300)}`;
  if (process.env.VERBOSE) console.log(name, '|', await machine.endOf(session));
  const { reported, answered } = await settled(agent, machine, session);
  const calls = machine.calls();
  const row = { name, reported, answered, calls };
  if (problem) return { ...row, problem };
  const isExact = FIELDS.every((field) => reported[field] === answered[field]);
  if (agent.exact.test(name) && !isExact) return { ...row, problem: 'tokens are missing' };
  const started = sum(calls);
  const isTooMuch = FIELDS.some((field) => reported[field] > started[field]);
  return { ...row, problem: isTooMuch ? 'more tokens than there were' : null };
}

/** Titles are made, and telemetry is sent, after the turn. */
async function settled({ settleMs = 2_000 }, machine, session) {
  const since = Date.now();
  for (;;) {
    const reported = await machine.tokensOf(session);
    const answered = sum(machine.calls().filter(({ isComplete }) => isComplete));
    const isAll = reported.inputTokens >= answered.inputTokens && Date.now() - since > 1_500;
    if (isAll || Date.now() - since > settleMs) return { reported, answered };
    await sleep(200);
  }
}

/** A day passes, so that analytics can be read. */
async function judgeNames(agent, { service, model }) {
  const name = 'names';
  service.child.kill('SIGUSR2');
  await sleep(500);
  const { tokens, tools } = await readAnalytics(service);
  const seen = `models ${tokens.models.join(', ') || 'none'}; tools ${tools.join(', ') || 'none'}`;
  const stranger = tokens.models.find((id) => !agent.models.test(id));
  if (stranger !== undefined) return { name, seen, problem: `the model ${stranger} was never asked` };
  const wrong = ['default', 'auto', 'write', 'bash', 'Execute'].find((id) => tools.includes(id));
  return { name, seen, problem: wrong === undefined ? null : `the tool is called ${wrong}`, models: model.calls };
}

function sum(calls) {
  const total = (field) => calls.reduce((tokens, call) => tokens + (call[field] ?? 0), 0);
  return Object.fromEntries(FIELDS.map((field) => [field, total(field)]));
}
