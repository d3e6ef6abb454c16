import { v7 as uuidv7 } from 'uuid';
import type { TurnSettings, UsageReport } from '../../protocol/relay-protocol.js';
import type { AgentHome } from '../shared/agent-home.js';
import type { HookEvent, HookInputOf, PermissionMode } from '../hooks/hook-events.js';
import { type HookOutcome, HookRunner } from '../hooks/hook-runner.js';
import { loadHooks } from '../hooks/hook-settings.js';
import type { Log } from '../shared/log.js';
import type { ToolCall } from './tool-calls.js';

export interface SessionHooksOptions {
  readonly sessionId: string;
  readonly cwd: string;
  /** The search for a project's settings ends here. */
  readonly root: string;
  readonly home: AgentHome;
  /** Of agents and hooks. */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly report: (events: UsageReport[]) => void;
}

type OwnFields<E extends HookEvent> = Omit<
  HookInputOf<E>,
  'hook_event_name' | 'session_id' | 'cwd' | 'permission_mode'
>;

/** Agents whose sub-agents are tool calls; nothing else shows them. */
const SUBAGENT_TOOLS = ['Task', 'Agent'];

/** The hooks of one session, as configured when it began. */
export class SessionHooks {
  private readonly runner: HookRunner;
  private readonly running = new Set<Promise<unknown>>();
  private readonly announced = new Set<string>();
  private readonly refused = new Set<string>();
  private settings: TurnSettings = {};

  constructor(private readonly options: SessionHooksOptions) {
    const { home, cwd, root, log } = options;
    const { hooks, problems, untrusted } = loadHooks({ home, cwd, root });
    for (const problem of problems) log.warn(problem);
    if (untrusted) log.warn(`The hooks in ${untrusted.file} do not run: its directory is not in trustedDirectories.`);
    this.runner = new HookRunner(hooks, {
      env: options.env,
      warn: (message) => log.warn(message),
      onRun: (run) =>
        options.report([{ id: uuidv7(), type: 'hook_run', at: new Date(options.now()).toISOString(), ...run }]),
    });
  }

  use(settings: TurnSettings): void {
    this.settings = settings;
  }

  start(source: 'startup' | 'resume'): Promise<HookOutcome> {
    return this.run('SessionStart', { source });
  }

  submit(prompt: string): Promise<HookOutcome> {
    return this.run('UserPromptSubmit', { prompt });
  }

  compact(instructions: string): Promise<HookOutcome> {
    return this.run('PreCompact', { trigger: 'manual', custom_instructions: instructions });
  }

  stop(isRepeated: boolean): Promise<HookOutcome> {
    return this.run('Stop', { stop_hook_active: isRepeated });
  }

  end(reason: 'other' | 'error'): Promise<HookOutcome> {
    return this.run('SessionEnd', { reason });
  }

  notify(message: string): void {
    this.inBackground(() => this.run('Notification', { message }));
  }

  before(call: ToolCall): Promise<HookOutcome> {
    this.announced.add(call.id);
    return this.run('PreToolUse', { tool_name: call.name, tool_input: call.input });
  }

  /** Later reports of a refused tool are not a use of it. */
  refuse(call: ToolCall, message: string): void {
    this.refused.add(call.id);
    this.notify(message);
  }

  /** For a tool that was used without asking, PreToolUse hooks run now and cannot block. */
  after(call: ToolCall): void {
    const isAnnounced = this.announced.delete(call.id);
    if (this.refused.delete(call.id) && call.status === 'failed') return;
    this.inBackground(async () => {
      if (!isAnnounced) await this.run('PreToolUse', { tool_name: call.name, tool_input: call.input });
      const response = { content: call.output, isError: call.status === 'failed' };
      await this.run('PostToolUse', { tool_name: call.name, tool_input: call.input, tool_response: response });
      if (SUBAGENT_TOOLS.includes(call.name)) await this.run('SubagentStop', { stop_hook_active: false });
    });
  }

  /** Resolves when no hook is running, at the latest after the longest timeout. */
  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private run<E extends HookEvent>(event: E, own: OwnFields<E>): Promise<HookOutcome> {
    const { sessionId, cwd } = this.options;
    const common = { hook_event_name: event, session_id: sessionId, cwd, permission_mode: modeOf(this.settings) };
    // Both halves are of event E, which the compiler cannot infer.
    return this.runner.run({ ...common, ...own } as unknown as HookInputOf<HookEvent>);
  }

  private inBackground(work: () => Promise<unknown>): void {
    const running = work().finally(() => this.running.delete(running));
    this.running.add(running);
  }
}

function modeOf({ interactionMode, autonomyLevel = 'off' }: TurnSettings): PermissionMode {
  if (interactionMode === 'spec') return 'spec';
  return autonomyLevel === 'off' ? 'off' : `auto-${autonomyLevel}`;
}
