import { z } from 'zod';
import type { ModelUsage } from './agent-driver.js';

const Tokens = z.number().int().min(0).max(1_000_000_000).catch(0);
const Counts = z.object({
  inputTokens: Tokens,
  outputTokens: Tokens,
  cacheReadInputTokens: Tokens,
  cacheCreationInputTokens: Tokens,
});
type Counts = z.infer<typeof Counts>;

/** Claude Code's own message at the end of a turn, also of an interrupted one. */
const Told = z.object({
  message: z.object({ type: z.literal('result'), modelUsage: z.record(z.string().min(1), Counts) }),
});

const NONE: Counts = { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 };

/** Sums by model since the agent was started, those of subagents and of cut-off turns included. */
export class ToldUsage {
  private sums = new Map<string, Counts>();
  private taken = new Map<string, Counts>();

  hear(params: unknown): void {
    const told = Told.safeParse(params);
    if (told.success) this.sums = new Map(Object.entries(told.data.message.modelUsage));
  }

  /** What is new since the last time; empty when nothing was told. */
  take(): ModelUsage[] {
    const news = [...this.sums].flatMap(([model, sum]) => newUsage(model, sum, this.taken.get(model) ?? NONE));
    this.taken = this.sums;
    return news;
  }
}

function newUsage(modelId: string, sum: Counts, before: Counts): ModelUsage[] {
  // A smaller sum began anew.
  const isGrown = (Object.keys(NONE) as (keyof Counts)[]).every((field) => sum[field] >= before[field]);
  const since = (field: keyof Counts) => sum[field] - (isGrown ? before[field] : 0);
  const cacheReadTokens = since('cacheReadInputTokens');
  const cacheWriteTokens = since('cacheCreationInputTokens');
  const inputTokens = since('inputTokens') + cacheReadTokens + cacheWriteTokens;
  const outputTokens = since('outputTokens');
  if (inputTokens === 0 && outputTokens === 0) return [];
  return [{ modelId, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }];
}
