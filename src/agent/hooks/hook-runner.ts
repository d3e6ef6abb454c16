import { type HookEvent, type HookInput, matchedSubject } from './hook-events.js';
import { HookMatcher } from './hook-matcher.js';
import { type HookProcessResult, runHookProcess } from './hook-process.js';
import type { ConfiguredHook } from './hook-settings.js';
import { judgeHook } from './hook-verdict.js';
import { shortened } from './printable.js';

const MAX_REASON_LENGTH = 8_000;
const MAX_CONTEXT_LENGTH = 64_000;

export interface HookRun {
  readonly event: HookEvent;
  readonly matcher: string;
  readonly command: string;
}

export interface HookRunnerOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly onRun?: (run: HookRun) => void;
  readonly warn?: (message: string) => void;
}

export interface HookOutcome {
  readonly blocked: boolean;
  /** Empty unless blocked. */
  readonly reason: string;
  /** Text for the agent (UserPromptSubmit, SessionStart). */
  readonly context: string;
}

export interface FinishedHook {
  readonly hook: ConfiguredHook;
  readonly result: HookProcessResult;
}

const NO_OBJECTION: HookOutcome = { blocked: false, reason: '', context: '' };

/** The hooks of a session, as configured when it began. */
export class HookRunner {
  private readonly matchers = new Map<string, HookMatcher>();
  private readonly hooks: readonly ConfiguredHook[];

  constructor(
    hooks: readonly ConfiguredHook[],
    private readonly options: HookRunnerOptions,
  ) {
    this.hooks = [...hooks];
  }

  /** Takes at most as long as the longest timeout; never rejects. */
  async run(input: HookInput, { signal }: { signal?: AbortSignal } = {}): Promise<HookOutcome> {
    try {
      const finished = await this.runEach(input, signal);
      const verdicts = finished.map(({ hook, result }) => judgeHook(hook, result));
      // After an abort, warnings about unfinished hooks are noise.
      if (!signal?.aborted) verdicts.forEach(({ warning }) => warning !== null && this.warn(warning));
      const reasons = verdicts.flatMap(({ blockReason }) => blockReason ?? []);
      const contexts = verdicts.flatMap(({ context }) => context || []);
      return {
        blocked: reasons.length > 0,
        reason: shortened(reasons.join('\n'), MAX_REASON_LENGTH),
        context: shortened(contexts.join('\n'), MAX_CONTEXT_LENGTH),
      };
    } catch (error) {
      this.warn(`The ${input.hook_event_name} hooks could not run: ${String(error)}`);
      return NO_OBJECTION;
    }
  }

  /** Runs the hooks in parallel; results are in the order of the settings. */
  async runEach(input: HookInput, signal?: AbortSignal): Promise<FinishedHook[]> {
    const hooks = this.hooksFor(input);
    if (hooks.length === 0) return [];
    const json = `${JSON.stringify(input)}\n`;
    return Promise.all(
      hooks.map(async (hook) => ({
        hook,
        result: await runHookProcess({
          command: hook.command,
          cwd: input.cwd,
          env: this.options.env,
          input: json,
          timeoutMs: hook.timeoutSeconds * 1_000,
          signal,
          onStart: () => this.count(hook),
        }),
      })),
    );
  }

  /** Identical commands run once. */
  private hooksFor(input: HookInput): ConfiguredHook[] {
    const subject = matchedSubject(input);
    const byCommand = new Map<string, ConfiguredHook>();
    for (const hook of this.hooks) {
      if (hook.event !== input.hook_event_name || byCommand.has(hook.command)) continue;
      if (subject === null || this.matcherOf(hook).fits(subject)) byCommand.set(hook.command, hook);
    }
    return [...byCommand.values()];
  }

  private matcherOf({ matcher }: ConfiguredHook): HookMatcher {
    const known = this.matchers.get(matcher);
    if (known) return known;
    const made = new HookMatcher(matcher, (message) => this.warn(message));
    this.matchers.set(matcher, made);
    return made;
  }

  private count({ event, matcher, command }: ConfiguredHook): void {
    try {
      this.options.onRun?.({ event, matcher, command });
    } catch (error) {
      this.warn(`A hook run could not be counted: ${String(error)}`);
    }
  }

  private warn(message: string): void {
    try {
      this.options.warn?.(message);
    } catch {
      // A failing warning has no one left to report to.
    }
  }
}
