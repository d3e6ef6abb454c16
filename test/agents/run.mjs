import { ACP_AGENTS } from './acp-agents.mjs';
import { tryAcp } from './acp-trial.mjs';
import { AGENTS } from './agents.mjs';
import { cleanUp, install } from './programs.mjs';
import { tryTelemetry } from './telemetry-trial.mjs';

/*
 * Real agents, installed into a directory that is thrown away, against a stand-in for their models. Each reports in by its
 * telemetry, and is driven through the agent client over ACP. `npm run test:agents [telemetry|acp] [name ...]`;
 * AGENTS_DIR keeps the programs for the next time, CASE chooses a case, VERBOSE shows what was said, KEEP keeps the files.
 */
const words = process.argv.slice(2).map((word) => word.toLowerCase());
const kinds = ['telemetry', 'acp'].filter((kind) => words.includes(kind));
const names = words.filter((word) => !kinds.includes(word));
const isWanted = ({ name }) => names.length === 0 || names.some((word) => name.toLowerCase().includes(word));
const wanted = (kind, agents) => (kinds.length === 0 || kinds.includes(kind) ? agents.filter(isWanted) : []);

let failures = 0;
try {
  for (const agent of wanted('telemetry', AGENTS)) {
    const problem = await install([agent.package])
      .then(() => tryTelemetry(agent))
      .catch((error) => error.message);
    show(`${agent.name} (${agent.package}): telemetry`, problem);
  }
  for (const agent of wanted('acp', ACP_AGENTS)) {
    console.log(`\n${agent.name} (${agent.package}) over ACP; tokens as input + output (cache read)`);
    const rows = await install([agent.package])
      .then(() => tryAcp(agent))
      .catch((error) => [{ name: 'start', problem: error.message }]);
    for (const row of rows) show(describe(row), row.problem);
  }
} finally {
  await cleanUp();
}
console.log(failures === 0 ? '\nAll of it holds.' : `\n${failures} of it does not hold.`);
process.exitCode = failures === 0 ? 0 : 1;

function show(what, problem) {
  if (problem) failures++;
  console.log(problem ? `✗ ${what}: ${problem}` : `✓ ${what}`);
}

function describe({ name, reported, answered, calls, seen }) {
  if (!reported) return seen ? `${name.padEnd(14)}${seen}` : name;
  const text = ({ inputTokens, outputTokens, cacheReadTokens }) =>
    `${inputTokens} + ${outputTokens} (${cacheReadTokens})`;
  const side = calls.filter(({ isSide }) => isSide).length;
  const cut = calls.filter(({ isComplete }) => !isComplete).length;
  const kinds = [
    `${calls.length} calls`,
    ...(side ? [`${side} without tools`] : []),
    ...(cut ? [`${cut} cut off`] : []),
  ];
  return `${name.padEnd(14)}reported ${text(reported).padEnd(18)}of ${text(answered).padEnd(18)}${kinds.join(', ')}`;
}
