import type { Origin } from '../otlp/records.js';
import type { Adapter } from './adapter.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { geminiCli } from './gemini-cli.js';
import { genAi } from './gen-ai.js';
import { opencode } from './opencode.js';

/** The first adapter that recognises the origin is used; the last one recognises everything. */
export const ADAPTERS: readonly Adapter[] = [claudeCode, geminiCli, codex, opencode, genAi];

export function adapterFor(origin: Origin): Adapter {
  return ADAPTERS.find((adapter) => adapter.recognises(origin)) ?? genAi;
}
