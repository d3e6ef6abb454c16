import type { AgentHome } from '../shared/agent-home.js';
import { HOOK_EVENTS, isHookEvent, matchedSubject } from './hook-events.js';
import { type FinishedHook, HookRunner } from './hook-runner.js';
import { sampleInput } from './hook-samples.js';
import { type ConfiguredHook, type HookPlaces, loadHooks, type LoadedHooks } from './hook-settings.js';
import { judgeHook } from './hook-verdict.js';
import { commandLine, printable } from './printable.js';

const MAX_LISTED_COMMAND_LENGTH = 200;

export interface TestHookOptions extends HookPlaces {
  readonly env: NodeJS.ProcessEnv;
  /** For events about tools. */
  readonly tool?: string;
  readonly signal?: AbortSignal;
}

export interface HookTest {
  readonly text: string;
  /** 0 when every hook ran and ended correctly. */
  readonly exitCode: 0 | 1;
}

/** The hooks that would run in a session in this directory, as text. */
export function listHooks(places: HookPlaces): string {
  const loaded = loadHooks(places);
  const list = loaded.hooks.length === 0 ? ['No hooks are configured.'] : tableOf(loaded.hooks);
  return printable([...(loaded.disabled ? [] : list), ...remarksOn(loaded, places.home)].join('\n'));
}

/** Runs the hooks of one event with a sample payload and reports what each of them did. */
export async function testHook(event: string, options: TestHookOptions): Promise<HookTest> {
  if (!isHookEvent(event)) {
    return { text: `There is no hook event "${printable(event)}"; there are ${HOOK_EVENTS.join(', ')}.`, exitCode: 1 };
  }
  const loaded = loadHooks(options);
  const remarks = remarksOn(loaded, options.home);
  const hasProblems = loaded.problems.length > 0;
  const answer = (lines: string[], isFine: boolean): HookTest => ({
    text: printable([...lines, ...remarks].join('\n')),
    exitCode: isFine && !hasProblems ? 0 : 1,
  });
  if (loaded.disabled) return answer([], true);

  const input = sampleInput(event, options.cwd, options.tool ?? 'Edit');
  const count = loaded.hooks.filter((hook) => hook.event === event).length;
  if (count === 0) return answer([`No hook is configured for ${event}.`], true);

  const warnings: string[] = [];
  const runner = new HookRunner(loaded.hooks, { env: options.env, warn: (message) => warnings.push(message) });
  const finished = await runner.runEach(input, options.signal);
  if (finished.length === 0) {
    return answer([`No matcher of the ${count} ${event} hooks fits "${matchedSubject(input) ?? ''}".`], true);
  }
  const reports = finished.map((one) => reportOn(one));
  return answer(
    [...reports.map(({ text }) => text), ...warnings],
    reports.every(({ isFine }) => isFine),
  );
}

function tableOf(hooks: readonly ConfiguredHook[]): string[] {
  const rows = hooks.map(({ event, matcher, timeoutSeconds, file, command }) => [
    event,
    commandLine(matcher, MAX_LISTED_COMMAND_LENGTH) || '*',
    `${timeoutSeconds} s`,
    file,
    commandLine(command, MAX_LISTED_COMMAND_LENGTH),
  ]);
  const table = [['EVENT', 'MATCHER', 'TIMEOUT', 'FILE', 'COMMAND'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function remarksOn({ problems, disabled, untrusted }: LoadedHooks, home: AgentHome): string[] {
  return [
    ...(disabled ? [`Hooks are switched off: hooksDisabled is true in ${home.settingsFile}.`] : []),
    ...problems.map((problem) => `Problem: ${problem}`),
    ...(untrusted ? [untrustedHint(untrusted, home)] : []),
  ];
}

export function untrustedHint({ file, directory }: NonNullable<LoadedHooks['untrusted']>, home: AgentHome): string {
  return (
    `${file} is not used, as this directory is not trusted. If the hooks of this project may run on this machine, ` +
    `add ${JSON.stringify(directory)} to trustedDirectories in ${home.settingsFile}.`
  );
}

function reportOn({ hook, result }: FinishedHook): { text: string; isFine: boolean } {
  const { blockReason, warning } = judgeHook(hook, result);
  const lines = [
    `${commandLine(hook.command, MAX_LISTED_COMMAND_LENGTH)}  (${hook.file})`,
    `  ${endOf(hook, result)}, ${result.durationMs} ms`,
    ...outputLines('stdout', result.stdout),
    ...outputLines('stderr', result.stderr),
    ...(blockReason === null ? [] : [`  blocks: ${blockReason}`]),
    ...(warning === null ? [] : [`  warning: ${warning}`]),
  ];
  return { text: lines.join('\n'), isFine: warning === null };
}

function endOf({ timeoutSeconds }: ConfiguredHook, { error, timedOut, exitCode, signal }: FinishedHook['result']) {
  if (error !== undefined) return `did not run to its end: ${error}`;
  if (timedOut) return `killed after its timeout of ${timeoutSeconds} s`;
  return exitCode === null ? `ended by ${signal ?? 'an unknown signal'}` : `exit code ${exitCode}`;
}

function outputLines(name: string, output: string): string[] {
  const text = output.trimEnd();
  return text === '' ? [] : [`  ${name}:`, ...text.split('\n').map((line) => `    ${line}`)];
}
