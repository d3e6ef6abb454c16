/*
 * What the stand-in does: the last `[stub: ...]` in what the user said. `write <path>`, `patch <path>`, `run <command>`,
 * `mcp <server>`, `delegate` use a tool and, when it was used or refused, say so; `say` only speaks; `stall <path>` writes and then
 * stops in the middle of a sentence, for ever.
 */
const ORDER = /\[stub: (\w+) ?([^\]]*)\]/g;
export const CHILD = '[stub: say]';

/** `conversation`: `items` in order, each with `said` (by the user) or `result` (of a tool), and names of `tools`. */
export function decide({ items, tools }, known) {
  const last = items.findLastIndex(({ said }) => said !== undefined && said.search(ORDER) >= 0);
  const [, act = 'say', argument = ''] = last < 0 ? [] : [...items[last].said.matchAll(ORDER)].at(-1);
  const results = items.slice(last + 1).flatMap(({ result }) => result ?? []);
  if (act === 'stall' && results.length > 0) return { isStalled: true, text: 'It is ' };
  const wanted = act === 'stall' ? 'write' : act;
  const call = known[wanted]?.({ tools, argument, results }) ?? null;
  return call && tools.includes(call.name)
    ? { call: { ...call, id: `call_${items.length}` } }
    : { text: 'It is done.' };
}

/** The first tool of these that the agent offers, with its input, until it has a result. */
export function once(inputs) {
  return ({ tools, argument, results }) => {
    const name = results.length > 0 ? undefined : Object.keys(inputs).find((known) => tools.includes(known));
    return name === undefined ? null : { name, input: inputs[name](argument) };
  };
}
