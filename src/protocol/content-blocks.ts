import { z } from 'zod';

/** The content of messages, as in the API document. Unknown fields are kept. */

const Source = z.looseObject({
  type: z.enum(['base64', 'text']),
  mediaType: z.string(),
  data: z.string(),
  parsedData: z.string().optional(),
  name: z.string().optional(),
  path: z.string().optional(),
  mime: z.string().optional(),
});

export const KnownBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string(), id: z.string().optional() }),
  z.looseObject({
    type: z.literal('image'),
    source: Source,
    id: z.string().optional(),
    generated: z.boolean().optional(),
  }),
  z.looseObject({ type: z.literal('document'), source: Source, id: z.string().optional() }),
  z.looseObject({
    type: z.literal('thinking'),
    thinking: z.string(),
    signature: z.string(),
    id: z.string().optional(),
    signatureProvider: z.string().optional(),
    durationMs: z.number().optional(),
  }),
  z.looseObject({ type: z.literal('redacted_thinking'), data: z.string(), id: z.string().optional() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    thoughtSignature: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal('tool_result'),
    toolUseId: z.string(),
    content: z.union([z.string(), z.array(z.record(z.string(), z.unknown()))]).optional(),
    isError: z.boolean().optional(),
    id: z.string().optional(),
  }),
]);
