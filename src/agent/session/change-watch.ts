import type { Decision } from './permissions.js';
import { isReadingCommand } from './reading-commands.js';
import type { ToolCall } from './tool-calls.js';

/** Some agents report that a tool is in progress before they ask. */
const TIME_TO_ASK_MS = 5_000;
const MAX_REMEMBERED = 10_000;
const CHANGING_KINDS: readonly string[] = ['edit', 'delete', 'move', 'execute'];

export interface ChangeWatchOptions {
  /** What would have been answered. */
  readonly decide: (call: ToolCall) => Decision;
  /** A change was made without a permission; not called again. */
  readonly onUnasked: (call: ToolCall, reason: string) => void;
  readonly timeToAskMs?: number;
}

/** Finds changes for which an agent has no permission: it did not ask, or was refused. */
export class ChangeWatch {
  private readonly asked = new Set<string>();
  private readonly answers = new Map<string, boolean>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private isOver = false;

  constructor(private readonly options: ChangeWatchOptions) {}

  ask(id: string): void {
    this.asked.add(id);
    forgetOldest(this.asked);
    this.stopTimer(id);
  }

  answer(id: string, isAllowed: boolean): void {
    this.answers.set(id, isAllowed);
    forgetOldest(this.answers);
  }

  follow(call: ToolCall): void {
    if (this.isOver || !isChange(call)) return;
    if (call.hasRun) this.judge(call);
    if (call.isFinished) this.stopTimer(call.id);
    else if (call.status === 'in_progress' && !this.asked.has(call.id)) this.startTimer(call);
  }

  stop(): void {
    this.isOver = true;
    for (const id of [...this.timers.keys()]) this.stopTimer(id);
  }

  private judge(call: ToolCall): void {
    const answer = this.answers.get(call.id);
    if (answer === true || this.isOver) return;
    const decision = this.options.decide(asJudged(call));
    if (answer === undefined && decision.allow) return;
    this.stop();
    this.options.onUnasked(call, answer === undefined ? decision.reason : 'It had asked, and was refused.');
  }

  /** Of the latest state: what it does may become known late. */
  private startTimer(call: ToolCall): void {
    this.stopTimer(call.id);
    const timer = setTimeout(() => this.judge(call), this.options.timeToAskMs ?? TIME_TO_ASK_MS).unref();
    this.timers.set(call.id, timer);
  }

  private stopTimer(id: string): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
  }
}

/** Whether a call changes something, or may: nobody knows what MCP tools do. */
function isChange({ kind, command, files, mcpServer }: ToolCall): boolean {
  const isUnknownCommand = kind === 'other' && command !== null;
  return CHANGING_KINDS.includes(kind) || isUnknownCommand || files.length > 0 || mcpServer !== null;
}

function asJudged(call: ToolCall): ToolCall {
  if (call.mcpServer !== null) return call;
  if (call.command !== null && isReadingCommand(call.command)) return { ...call, kind: 'read', paths: [] };
  return call.files.length > 0 && !CHANGING_KINDS.includes(call.kind) ? { ...call, kind: 'edit' } : call;
}

function forgetOldest(known: Set<string> | Map<string, unknown>): void {
  const [oldest] = known.keys();
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
}
