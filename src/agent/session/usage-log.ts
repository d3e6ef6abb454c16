import { extname } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { realModelId } from '../../protocol/model-names.js';
import { toolName } from '../../protocol/tool-names.js';
import { madeByCommand } from '../../protocol/shell/git-commands.js';
import type { TurnSettings, UsageReport } from '../../protocol/relay-protocol.js';
import type { PromptResult, TurnUsage } from '../acp/agent-driver.js';
import { kindName, type ToolCall } from './tool-calls.js';

export interface UsageContext {
  readonly settings: TurnSettings;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Gemini CLI tells its tools in no other way. */
const NAME_IN_ID = /^([a-z][a-z0-9_]*)__\1_\d{10,}_\d+$/;
const MAX_MODEL_ID = 200;
const MAX_EXTENSION = 200;

/** To be called once for each finished call. */
export function reportsOfToolCall(call: ToolCall, context: UsageContext): UsageReport[] {
  const { autonomyLevel = 'off', interactionMode } = context.settings;
  const own = report(context, 'tool_call', {
    tool: usedTool(call),
    mcpServer: call.mcpServer ?? undefined,
    autonomyLevel: interactionMode === 'spec' ? 'spec' : autonomyLevel,
  });
  if (call.status !== 'completed') return [own];
  const files = call.files.map(({ path, isNew }) =>
    report(context, isNew ? 'file_created' : 'file_edited', { extension: extname(path).slice(0, MAX_EXTENSION) }),
  );
  return [own, ...files, ...typesOfCommand(call).map((type) => report(context, type, {}))];
}

function usedTool({ id, name, kind, command, mcpServer }: ToolCall): string {
  if (mcpServer !== null) return name;
  // Codex tells of its shell only what the command is for.
  const isCommand = command !== null && name === kindName(kind);
  return toolName(isCommand ? 'Bash' : (NAME_IN_ID.exec(id)?.[1] ?? name));
}

/** Empty when the agent does not report usage. */
export function reportsOfPrompt(result: PromptResult, context: UsageContext): UsageReport[] {
  const modelId = result.currentModel ?? context.settings.model ?? '';
  const all = result.usage === null ? [] : [{ ...result.usage, modelId }];
  const calls = result.models.length > 0 ? result.models : all;
  return calls.map((call) => report(context, 'model_call', { modelId: cleanModelId(call.modelId), ...tokensOf(call) }));
}

/** The slash command at the start of a text, if the agent has announced it. */
export function reportsOfText(text: string, commands: readonly string[], context: UsageContext): UsageReport[] {
  const typed = /^\/(\S.*)/.exec(text)?.[1] ?? '';
  const [name] = commands
    .filter((command) => command !== '' && (typed === command || /^\s/.test(typed.slice(command.length))))
    .filter((command) => typed.startsWith(command))
    .sort((a, b) => b.length - a.length);
  return name === undefined ? [] : [report(context, 'slash_command', { name })];
}

function typesOfCommand({ kind, command }: ToolCall): string[] {
  return ['execute', 'other'].includes(kind) ? madeByCommand(command) : [];
}

function tokensOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, thinkingTokens }: TurnUsage) {
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, thinkingTokens };
}

function cleanModelId(id: string): string {
  const clean = id
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, MAX_MODEL_ID)
    .toWellFormed();
  return realModelId(clean);
}

type Fields = Record<string, string | number | undefined>;

function report({ now }: UsageContext, type: string, fields: Fields): UsageReport {
  const msecs = now();
  const told = Object.entries(fields).filter((field): field is [string, string | number] => field[1] !== undefined);
  return { id: uuidv7({ msecs }), type, at: new Date(msecs).toISOString(), ...Object.fromEntries(told) };
}
