import type { Dimension, Metric } from '../api/analytics.js';

interface Named {
  readonly name: string;
  /** What it counts, in one sentence. */
  readonly definition: string;
}

export const METRICS: Readonly<Record<Metric, Named>> = {
  billable_tokens: { name: 'Billable tokens', definition: 'Input, output and cached tokens, weighted as credits are.' },
  cost: { name: 'Cost (estimate)', definition: 'Tokens at dated list prices. An estimate, no invoice.' },
  input_tokens: { name: 'Input tokens', definition: 'All input, cached input included.' },
  output_tokens: { name: 'Output tokens', definition: 'What models wrote.' },
  cache_read_tokens: { name: 'Cache reads', definition: 'Input that was read from the prompt cache.' },
  cache_write_tokens: { name: 'Cache writes', definition: 'Input that was written to the prompt cache.' },
  model_calls: { name: 'Model calls', definition: 'Requests to models.' },
  active_people: { name: 'Active people', definition: 'People with any event, each counted once over the range.' },
  sessions: { name: 'Sessions', definition: 'Sessions that began.' },
  messages: { name: 'Messages', definition: 'Messages of people and agents.' },
  user_messages: { name: 'Messages of people', definition: 'What people asked.' },
  tool_calls: { name: 'Tool calls', definition: 'Calls of tools by agents, those of MCP servers included.' },
  files_created: { name: 'Files created', definition: 'Files that agents created.' },
  files_edited: { name: 'Files edited', definition: 'Files that agents edited.' },
  git_commits: { name: 'Commits', definition: 'Commits that agents made.' },
  git_prs_created: { name: 'Pull requests', definition: 'Pull requests that agents opened.' },
  count: { name: 'Count', definition: 'How often it was used.' },
};

export const DIMENSIONS: Readonly<Record<Dimension, string>> = {
  model: 'Model',
  user: 'Person',
  team: 'Team',
  client: 'Client',
  tool: 'Tool',
  server: 'MCP server',
  skill: 'Skill',
  command: 'Command',
  hook: 'Hook',
  language: 'Language',
  extension: 'Extension',
};

export function named<Key extends string>(keys: readonly Key[], names: Readonly<Record<Key, string | Named>>) {
  const nameOf = (key: Key) => {
    const known: string | Named = names[key];
    return typeof known === 'string' ? known : known.name;
  };
  return Object.fromEntries(keys.map((key) => [key, nameOf(key)])) as Record<Key, string>;
}
