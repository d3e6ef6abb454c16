import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk';
import { isRecord } from '../shared/bounds.js';

/** Where agents put the output of a tool, best first. */
const TEXT_FIELDS = ['output', 'formatted_output', 'aggregated_output', 'stdout', 'stderr', 'error', 'message', 'text'];

export function textOfContent(content: readonly ToolCallContent[]): string {
  return content
    .map((item) => (item.type === 'content' ? textOfBlock(item.content) : ''))
    .filter((text) => text !== '')
    .join('\n');
}

export function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[${block.resource.uri}]`;
    case 'resource_link':
      return `[${block.uri}]`;
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}]`;
  }
}

export function textOfRawOutput(output: unknown): string {
  if (typeof output === 'string') return output;
  if (isRecord(output)) {
    const texts = TEXT_FIELDS.map((field) => output[field]);
    const [text] = texts.filter((value) => typeof value === 'string' && value !== '');
    if (typeof text === 'string') return text;
    if (Array.isArray(output.content)) return output.content.map(textOfItem).join('\n');
  }
  return textOfItem(output);
}

export function summaryOfDiffs(files: readonly { readonly path: string; readonly isNew: boolean }[]): string {
  return files.map(({ path, isNew }) => `${isNew ? 'Created' : 'Edited'} ${path}`).join('\n');
}

function textOfItem(item: unknown): string {
  if (isRecord(item) && typeof item.text === 'string') return item.text;
  try {
    return JSON.stringify(item);
  } catch {
    return '[nested too deeply to be written]';
  }
}
