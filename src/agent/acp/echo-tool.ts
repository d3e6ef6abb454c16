import {
  type AgentContext,
  methods,
  type RequestPermissionRequest,
  type SessionUpdate,
  type ToolCallContent,
  type ToolCallUpdate,
  type ToolKind,
} from '@agentclientprotocol/sdk';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const KINDS: Record<string, ToolKind> = {
  Bash: 'execute',
  Write: 'edit',
  Edit: 'edit',
  Read: 'read',
  Grep: 'search',
  Search: 'search',
  Delete: 'delete',
  Move: 'move',
  Fetch: 'fetch',
  WebFetch: 'fetch',
  Think: 'think',
};

const OPTIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' as const },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' as const },
  { optionId: 'no', name: 'No', kind: 'reject_once' as const },
];

interface Plan {
  readonly rawInput: Record<string, string>;
  readonly content: ToolCallContent[];
  readonly run: () => string;
}

/** It asks for permission first. Only `Write` has an effect: a file in the session's directory. */
export class EchoTool {
  constructor(
    private readonly client: AgentContext,
    private readonly sessionId: string,
    private readonly cwd: string,
  ) {}

  async use(name: string, text: string): Promise<void> {
    const plan = this.plan(name, text);
    const call = { toolCallId: randomUUID(), title: name, kind: KINDS[name] ?? 'other' };
    const details = { rawInput: plan.rawInput, content: plan.content };
    await this.update({ sessionUpdate: 'tool_call', ...call, status: 'pending', ...details });
    const toolCall: ToolCallUpdate = { ...call, ...details };
    const question: RequestPermissionRequest = { sessionId: this.sessionId, toolCall, options: OPTIONS };
    const { outcome } = await this.client.request(methods.client.session.requestPermission, question);
    const isAllowed = outcome.outcome === 'selected' && outcome.optionId !== 'no';
    const words = isAllowed ? plan.run() : 'It was not permitted.';
    const content: ToolCallContent = { type: 'content', content: { type: 'text', text: words } };
    await this.end(call.toolCallId, isAllowed, [...plan.content, content]);
  }

  private plan(name: string, text: string): Plan {
    if (name === 'Bash') return { rawInput: { command: text }, content: [], run: () => `$ ${text}` };
    if (name === 'Write') return this.planWrite(text);
    return { rawInput: { text }, content: [], run: () => `${name}: ${text}` };
  }

  private planWrite(text: string): Plan {
    const [file = ''] = text.split(/\s/, 1);
    const name = basename(file);
    const path = join(this.cwd, ['', '.', '..'].includes(name) ? 'echo.txt' : name);
    const newText = `${text.slice(file.length).trim()}\n`;
    const oldText = existsSync(path) ? readFileSync(path, 'utf8') : null;
    return {
      rawInput: { file_path: path, content: newText },
      content: [{ type: 'diff', path, oldText, newText }],
      run: () => {
        writeFileSync(path, newText);
        return `Wrote ${path}.`;
      },
    };
  }

  private end(toolCallId: string, isDone: boolean, content: ToolCallContent[]): Promise<void> {
    const status = isDone ? 'completed' : 'failed';
    return this.update({ sessionUpdate: 'tool_call_update', toolCallId, status, content });
  }

  private update(update: SessionUpdate): Promise<void> {
    return this.client.notify(methods.client.session.update, { sessionId: this.sessionId, update });
  }
}
