import type { StopReason } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import type { ModelUsage, PromptResult, TurnUsage } from './agent-driver.js';

const MAX_TOKENS = 1_000_000_000;

const Tokens = z.number().int().min(0).max(MAX_TOKENS);
const MaybeTokens = Tokens.nullish().catch(undefined);

const Usage = z.object({
  inputTokens: Tokens,
  outputTokens: Tokens,
  cachedReadTokens: MaybeTokens,
  cachedWriteTokens: MaybeTokens,
  thoughtTokens: MaybeTokens,
  totalTokens: MaybeTokens,
});

/** Sent by Gemini; input includes cached input, whose amount is not sent. */
const ModelQuota = z.object({
  model: z.string().min(1),
  token_count: z.object({ input_tokens: Tokens, output_tokens: Tokens }),
});

const Response = z.object({
  stopReason: z.enum(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']).catch('end_turn'),
  usage: Usage.nullish().catch(undefined),
  _meta: z
    .object({ quota: z.object({ model_usage: z.array(ModelQuota).catch([]) }).catch({ model_usage: [] }) })
    .nullish()
    .catch(undefined),
});

/** Usage is not in the stable protocol; this reads what agents send. */
export function readPromptResult(response: unknown, currentModel: string | null): PromptResult {
  const { stopReason, usage, _meta } = Response.catch({ stopReason: 'end_turn' }).parse(response);
  const models = (_meta?.quota.model_usage ?? []).map(toModelUsage);
  return {
    stopReason: stopReason satisfies StopReason,
    usage: usage ? toTurnUsage(usage) : sum(models),
    models,
    currentModel,
  };
}

function toTurnUsage(usage: z.infer<typeof Usage>): TurnUsage {
  const { cachedReadTokens: read, cachedWriteTokens: write, totalTokens: total } = usage;
  const cached = (read ?? 0) + (write ?? 0);
  const thought = usage.thoughtTokens ?? 0;
  // Input usually excludes cached tokens, and output may exclude thoughts; the total shows which.
  const isCacheIncluded = cached > 0 && total === usage.inputTokens + usage.outputTokens;
  const isThoughtApart = total === usage.inputTokens + usage.outputTokens + cached + thought;
  const outputTokens = usage.outputTokens + (isThoughtApart ? thought : 0);
  return {
    inputTokens: usage.inputTokens + (isCacheIncluded ? 0 : cached),
    outputTokens,
    ...(typeof read === 'number' ? { cacheReadTokens: read } : {}),
    ...(typeof write === 'number' ? { cacheWriteTokens: write } : {}),
    ...(thought > 0 ? { thinkingTokens: Math.min(thought, outputTokens) } : {}),
  };
}

function toModelUsage({ model, token_count }: z.infer<typeof ModelQuota>): ModelUsage {
  return { modelId: model, inputTokens: token_count.input_tokens, outputTokens: token_count.output_tokens };
}

function sum(models: readonly ModelUsage[]): TurnUsage | null {
  if (models.length === 0) return null;
  const total = (field: 'inputTokens' | 'outputTokens') => models.reduce((tokens, model) => tokens + model[field], 0);
  return { inputTokens: total('inputTokens'), outputTokens: total('outputTokens') };
}
