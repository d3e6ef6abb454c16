import type { SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk';
import { boundedObject, cleanText, cutToJson, isRecord } from '../shared/bounds.js';
import { commandOfArguments } from './command-rules.js';
import { pathsOfInput } from './tool-paths.js';
import { summaryOfDiffs, textOfContent, textOfRawOutput } from './tool-output.js';

export interface TouchedFile {
  readonly path: string;
  readonly isNew: boolean;
}

export interface ToolCall {
  readonly id: string;
  /** The agent's name for the tool, else one for its kind. */
  readonly name: string;
  readonly kind: ToolKind;
  readonly input: Record<string, unknown>;
  readonly status: ToolCallStatus;
  /** Completed or failed: final. */
  readonly isFinished: boolean;
  /** Completed, or failed with an exit code: not refused, and not impossible. */
  readonly hasRun: boolean;
  readonly mcpServer: string | null;
  readonly command: string | null;
  readonly files: readonly TouchedFile[];
  /** As the agent wrote them. */
  readonly paths: readonly string[];
  readonly output: string;
}

export const MAX_TOOL_TEXT = 200_000;
const MAX_NAME = 200;
/** An agent with more open calls has forgotten the oldest. */
const MAX_OPEN = 200;
const MAX_FINISHED = 10_000;
const WORD = /^[A-Za-z_][\w.-]*$/;
const MCP_NAME = /^mcp__(.+?)__./;
/** Gemini CLI tells an MCP tool in its title, and in the id of the call. */
const MCP_TITLE = /^([\w.-]+) \((.+) MCP Server\)$/;
const MCP_ID = /^mcp_([^_]+)_(.+)__mcp_\1_\2_\d{10,}_\d+$/;

/** The name for tools without one. */
export function kindName(kind: ToolKind): string {
  return kind === 'switch_mode' ? 'SwitchMode' : kind.charAt(0).toUpperCase() + kind.slice(1);
}

/** Assembles the tool calls of a turn from updates; finished calls are forgotten. */
export class ToolCalls {
  private readonly open = new Map<string, CallState>();
  private readonly finished = new Set<string>();

  /** null for other updates, and for a call that has ended before. */
  apply(update: SessionUpdate): ToolCall | null {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return null;
    if (this.isFinished(update.toolCallId)) return null;
    const state = this.stateOf(update.toolCallId);
    state.merge(update);
    const call = state.toToolCall();
    if (call.isFinished) this.finish(update.toolCallId);
    return call;
  }

  /** Agents may ask before they have announced the call. */
  ask(toolCall: ToolCallUpdate): ToolCall {
    const id = toolCall.toolCallId;
    const state = this.isFinished(id) ? new CallState(id) : this.stateOf(id);
    state.merge({ ...toolCall, status: null });
    return state.toToolCall();
  }

  isFinished(id: string): boolean {
    return this.finished.has(id);
  }

  get openCount(): number {
    return this.open.size;
  }

  private stateOf(id: string): CallState {
    const known = this.open.get(id);
    if (known) return known;
    const state = new CallState(id);
    this.open.set(id, state);
    const [oldest] = this.open.keys();
    if (this.open.size > MAX_OPEN && oldest !== undefined) this.finish(oldest);
    return state;
  }

  private finish(id: string): void {
    this.open.delete(id);
    this.finished.add(id);
    const [oldest] = this.finished;
    if (this.finished.size > MAX_FINISHED && oldest !== undefined) this.finished.delete(oldest);
  }
}

class CallState {
  private name: string | null = null;
  private firstTitle: string | null = null;
  private title = '';
  private kind: ToolKind = 'other';
  private status: ToolCallStatus = 'pending';
  private input: Record<string, unknown> = {};
  private command: string | null = null;
  /** Uncut. */
  private rawInput: unknown = {};
  private contentText = '';
  private rawText = '';
  private diffs: TouchedFile[] = [];
  private locations: string[] = [];
  private hasExitCode = false;
  /** null when the agent does not say whether the file existed. */
  private existed: boolean | null = null;

  constructor(private readonly id: string) {}

  merge(update: ToolCallUpdate): void {
    this.name = explicitName(update) ?? this.name;
    if (update.title) {
      this.title = cleanText(update.title);
      this.firstTitle ??= this.title;
    }
    this.kind = update.kind ?? this.kind;
    this.status = update.status ?? this.status;
    this.mergeInput(update.rawInput);
    if (update.locations) this.locations = update.locations.map(({ path }) => cleanText(path));
    if (update.content) this.mergeContent(update.content);
    if (update.rawOutput !== undefined && update.rawOutput !== null) {
      this.rawText = cutToJson(cleanText(textOfRawOutput(update.rawOutput)), MAX_TOOL_TEXT);
    }
    this.existed = saysExisted(update) ?? this.existed;
    this.hasExitCode ||= saysExitCode(update.rawOutput);
  }

  toToolCall(): ToolCall {
    const name = this.toolName();
    const files = this.files();
    return {
      id: cleanText(this.id),
      name,
      kind: this.kind,
      input: this.input,
      status: this.status,
      isFinished: this.status === 'completed' || this.status === 'failed',
      hasRun: this.status === 'completed' || (this.status === 'failed' && this.hasExitCode),
      mcpServer: MCP_NAME.exec(name)?.[1] ?? null,
      command: this.command ?? (this.kind === 'execute' ? commandOfTitle(this.title) : null),
      files,
      paths: this.paths(name),
      output: this.contentText || this.rawText || (this.status === 'completed' ? summaryOfDiffs(files) : ''),
    };
  }

  private mergeInput(rawInput: unknown): void {
    const isEmpty = isRecord(rawInput) && Object.keys(rawInput).length === 0;
    if (rawInput === undefined || rawInput === null || isEmpty) return;
    this.rawInput = rawInput;
    this.input = boundedObject(rawInput, MAX_TOOL_TEXT);
    this.command = isRecord(rawInput) ? commandOfInput(rawInput) : null;
  }

  private mergeContent(content: NonNullable<ToolCallUpdate['content']>): void {
    this.contentText = cutToJson(cleanText(textOfContent(content)), MAX_TOOL_TEXT);
    this.diffs = content
      .filter((item) => item.type === 'diff')
      .map((diff) => {
        const isAdded = diff.oldText === '' && diff._meta?.kind === 'add';
        return { path: cleanText(diff.path), isNew: isAdded || (diff.oldText ?? null) === null };
      });
  }

  private files(): TouchedFile[] {
    if (this.kind === 'delete' || this.kind === 'move') return [];
    const located = this.kind === 'edit' ? this.locations.map((path) => ({ path, isNew: false })) : [];
    const files = this.diffs.length > 0 ? this.diffs : located;
    const byPath = new Map(files.map((file) => [file.path, { ...file, isNew: !(this.existed ?? !file.isNew) }]));
    return [...byPath.values()];
  }

  private paths(tool: string): string[] {
    return [
      ...new Set([...this.locations, ...this.diffs.map(({ path }) => path), ...pathsOfInput(tool, this.rawInput)]),
    ];
  }

  private toolName(): string {
    const isCommandLine = this.command !== null && this.firstTitle === this.command;
    const title = this.firstTitle !== null && WORD.test(this.firstTitle) && !isCommandLine ? this.firstTitle : null;
    return (this.name ?? this.mcpName() ?? title ?? kindName(this.kind)).slice(0, MAX_NAME);
  }

  private mcpName(): string | null {
    const [, tool, server] = MCP_TITLE.exec(this.title) ?? [];
    if (tool !== undefined && server !== undefined) return `mcp__${server}__${tool}`;
    const [, idServer, idTool] = MCP_ID.exec(this.id) ?? [];
    return idServer === undefined || idTool === undefined ? null : `mcp__${idServer}__${idTool}`;
  }
}

function explicitName({ _meta, name }: ToolCallUpdate): string | null {
  const claude = _meta?.claudeCode;
  const told = isRecord(claude) && typeof claude.toolName === 'string' ? claude.toolName : name;
  return told ? cleanText(told) : null;
}

function saysExisted({ _meta, rawOutput }: ToolCallUpdate): boolean | null {
  const claude = isRecord(_meta?.claudeCode) ? _meta.claudeCode.toolResponse : null;
  if (isRecord(claude) && claude.type === 'create') return false;
  if (isRecord(claude) && claude.type === 'update') return true;
  const metadata = isRecord(rawOutput) ? rawOutput.metadata : null;
  return isRecord(metadata) && typeof metadata.exists === 'boolean' ? metadata.exists : null;
}

function saysExitCode(rawOutput: unknown): boolean {
  if (typeof rawOutput === 'string') return /^exit code \d/i.test(rawOutput);
  if (!isRecord(rawOutput)) return false;
  const metadata = isRecord(rawOutput.metadata) ? rawOutput.metadata : {};
  return [rawOutput.exit_code, rawOutput.exitCode, metadata.exit].some((code) => typeof code === 'number');
}

function commandOfInput({ command, args }: Record<string, unknown>): string | null {
  const rest = isTextList(args) ? args : [];
  if (typeof command === 'string') return rest.length === 0 ? command : `${command} ${commandOfArguments(rest)}`;
  return isTextList(command) && command.length > 0 ? commandOfArguments([...command, ...rest]) : null;
}

/** Some agents put the command into the title, as code. */
function commandOfTitle(title: string): string | null {
  const command = /^`([^`]+)`$/.exec(title)?.[1] ?? title;
  return command.trim() === '' ? null : command;
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
