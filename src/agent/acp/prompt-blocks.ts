import type { ContentBlock as AcpBlock } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import type { ContentBlock } from '../../protocol/relay-protocol.js';
import type { AgentHello } from './agent-hello.js';

const Source = z.object({
  type: z.enum(['base64', 'text']).catch('base64'),
  mediaType: z.string().catch('application/octet-stream'),
  data: z.string(),
  parsedData: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});
type Source = z.infer<typeof Source>;

type Abilities = Pick<AgentHello, 'takesImages' | 'takesEmbeddedContext'> | null;

/** In the form that the agent supports. */
export function toPromptBlocks(blocks: readonly ContentBlock[], agent: Abilities): AcpBlock[] {
  const converted = blocks.flatMap((block, i) => toAcpBlock(block, i, agent) ?? []);
  return converted.length > 0 ? converted : [text('')];
}

function toAcpBlock(block: ContentBlock, index: number, agent: Abilities): AcpBlock | null {
  if (block.type === 'text') return typeof block.text === 'string' ? text(block.text) : null;
  if (block.type !== 'image' && block.type !== 'document') return null;
  const parsed = Source.safeParse(block.source);
  if (!parsed.success) return null;
  const source = parsed.data;
  if (block.type === 'document') return documentBlock(source, index, agent);
  return agent?.takesImages ? { type: 'image', data: source.data, mimeType: source.mediaType } : leftOut(source);
}

function documentBlock(source: Source, index: number, agent: Abilities): AcpBlock {
  const uri = `attachment:///${encodeURIComponent(source.name ?? `attachment-${index}`)}`;
  const content = textOf(source);
  if (content !== null) {
    if (!agent?.takesEmbeddedContext) return text(`Attachment ${nameOf(source)}:\n\n${content}`);
    return { type: 'resource', resource: { uri, mimeType: source.mediaType, text: content } };
  }
  if (!agent?.takesEmbeddedContext) return leftOut(source);
  return { type: 'resource', resource: { uri, mimeType: source.mediaType, blob: source.data } };
}

function textOf({ type, mediaType, data, parsedData }: Source): string | null {
  if (type === 'text') return data;
  if (mediaType.startsWith('text/')) return Buffer.from(data, 'base64').toString();
  return parsedData ?? null;
}

function leftOut(source: Source): AcpBlock {
  return text(`[The user attached ${nameOf(source)}, which cannot be passed on to this agent.]`);
}

function nameOf({ name, mediaType }: Source): string {
  return name === undefined ? `a file of type ${mediaType}` : `${name} (${mediaType})`;
}

function text(content: string): AcpBlock {
  return { type: 'text', text: content };
}
