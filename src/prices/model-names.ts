/** Whom one pays instead of the provider: with price lists of their own, which the built-in list does not have. */
export const CHANNELS = ['azure', 'bedrock', 'copilot', 'opencode', 'openrouter', 'vertex'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Prefixes with a slash; others are taken for the name of a provider. */
const CHANNEL_PREFIXES: ReadonlyMap<string, Channel> = new Map([
  ['azure', 'azure'],
  ['bedrock', 'bedrock'],
  ['amazon-bedrock', 'bedrock'],
  ['copilot', 'copilot'],
  ['github-copilot', 'copilot'],
  ['github_copilot', 'copilot'],
  ['opencode', 'opencode'],
  ['openrouter', 'openrouter'],
  ['vertex', 'vertex'],
  ['vertex_ai', 'vertex'],
  ['google-vertex', 'vertex'],
]);
const BEDROCK_REGION = /^(?:us|eu|apac|global)\.(?=[a-z0-9-]+\.)/;
const BEDROCK_PROVIDER = /^(anthropic)\./;
const BEDROCK_VERSION = /-v\d+(?::\d+)?$/;
const VERTEX_SNAPSHOT = /@(?:\d{8}|default|latest)$/;
const SNAPSHOT = /-(?:20\d{6}|20\d{2}-\d{2}-\d{2})$/;
const LONG_CONTEXT = /\[1m\]$/;

export interface ModelName {
  /** Ids to look for, the most exact one first. */
  readonly candidates: readonly string[];
  /** null: from the provider itself. */
  readonly channel: Channel | null;
  /** The provider that the name states; a model of another one is not meant. */
  readonly provider: string | null;
}

export const keyOf = (id: string): string => id.toLowerCase();

/**
 * What may be left out of the name of a model: who serves it, and which snapshot it is. Nothing else is guessed; above all, no
 * name matches because it begins like another.
 */
export function parseModelName(text: string): ModelName {
  const prefixed = withoutPrefixes(keyOf(text).trim().replace(LONG_CONTEXT, ''));
  const bedrock = withoutBedrock(prefixed.id);
  const vertex = bedrock.id.replace(VERTEX_SNAPSHOT, '');
  const id = dashed(vertex);
  const channel = prefixed.channel ?? (bedrock.isBedrock ? 'bedrock' : vertex === bedrock.id ? null : 'vertex');
  return {
    candidates: [...new Set([id, id.replace(SNAPSHOT, '')])],
    channel,
    provider: prefixed.provider ?? bedrock.provider,
  };
}

function withoutPrefixes(id: string): { id: string; channel: Channel | null; provider: string | null } {
  const parts = id.split('/');
  const last = parts.pop() ?? '';
  const channel = parts.map((part) => CHANNEL_PREFIXES.get(part)).find((found) => found !== undefined) ?? null;
  const owner = parts.findLast((part) => !CHANNEL_PREFIXES.has(part)) ?? null;
  return { id: last, channel, provider: owner === 'models' ? 'google' : owner };
}

function withoutBedrock(id: string): { id: string; isBedrock: boolean; provider: string | null } {
  const local = id.replace(BEDROCK_REGION, '');
  const provider = BEDROCK_PROVIDER.exec(local)?.[1] ?? null;
  if (provider === null) return { id, isBedrock: false, provider };
  return { id: local.replace(BEDROCK_PROVIDER, '').replace(BEDROCK_VERSION, ''), isBedrock: true, provider };
}

/** `claude-opus-4.6` is `claude-opus-4-6`; other providers do write points. */
function dashed(id: string): string {
  return id.startsWith('claude-') ? id.replace(/(?<=\d)\.(?=\d)/g, '-') : id;
}
