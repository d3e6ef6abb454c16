import { readFileSync } from 'node:fs';
import { toolName } from '../../../src/protocol/tool-names.js';

it.each([
  ['Bash', ['Bash', 'bash', 'Execute', 'exec_command', 'run_shell_command', 'shell']],
  ['Write', ['Write', 'write', 'write_file']],
  ['Edit', ['Edit', 'edit', 'replace', 'apply_patch', 'MultiEdit']],
  ['Read', ['Read', 'read', 'read_file']],
  ['Task', ['Task', 'task', 'Agent']],
])('%s is one tool, whatever the agent calls it', (name, names) => {
  expect(names.map(toolName)).toEqual(names.map(() => name));
});

it.each(['mcp__github__write', 'NotebookEdit', 'Other', 'unknown', '', 'constructor'])('%s stays as it is', (name) => {
  expect(toolName(name)).toBe(name);
});

it('the documentation has the same table', () => {
  const rows = [...readFileSync('docs/telemetry.md', 'utf8').matchAll(/^\| `(\w+)` +\| (`.+`) *\|$/gm)];
  const named = rows.flatMap(([, name, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, alias]) => [alias, name]),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(([alias = '', name]) => toolName(alias) !== name)).toEqual([]);
});
