import { HOOK_EVENTS, type HookEvent } from '../../../src/agent/hooks/hook-events.js';
import type { HookProcessResult } from '../../../src/agent/hooks/hook-process.js';
import { judgeHook } from '../../../src/agent/hooks/hook-verdict.js';

const BLOCKABLE: HookEvent[] = ['PreToolUse', 'UserPromptSubmit', 'Stop', 'SubagentStop'];
const OTHERS = HOOK_EVENTS.filter((event) => !BLOCKABLE.includes(event));

function judge(event: HookEvent, result: Partial<HookProcessResult>, command = './check.sh') {
  const exited = { exitCode: 0, signal: null, timedOut: false, stdout: '', stderr: '', durationMs: 1 };
  return judgeHook({ event, command, timeoutSeconds: 5 }, { ...exited, ...result });
}

const answer = (value: unknown) => ({ stdout: `${JSON.stringify(value)}\n` });

describe('what the end of a hook means', () => {
  it.each(HOOK_EVENTS)('%s: silence and exit code 0 are fine', (event) => {
    expect(judge(event, {})).toEqual({ blockReason: null, warning: null, context: '' });
  });

  it.each(BLOCKABLE)('%s: exit code 2 blocks with what stands in stderr', (event) => {
    expect(judge(event, { exitCode: 2, stderr: '\n Not on Fridays.\nReally.\n' })).toEqual({
      blockReason: 'Not on Fridays.\nReally.',
      warning: null,
      context: '',
    });
  });

  it.each(OTHERS)('%s: exit code 2 is too late, and a warning', (event) => {
    expect(judge(event, { exitCode: 2, stderr: 'Not on Fridays.\nReally.\n' })).toEqual({
      blockReason: null,
      warning: `The ${event} hook "./check.sh" exited with 2, which blocks nothing in this event: Not on Fridays.`,
      context: '',
    });
  });

  it.each(BLOCKABLE)('%s: the decision to block blocks', (event) => {
    expect(judge(event, answer({ decision: 'block', reason: 'Tests fail' })).blockReason).toBe('Tests fail');
    expect(judge(event, answer({ decision: 'approve', reason: 'Fine' })).blockReason).toBeNull();
  });

  it.each(OTHERS)('%s: the decision to block is a warning', (event) => {
    const verdict = judge(event, answer({ decision: 'block', reason: 'Tests fail' }));
    expect(verdict.blockReason).toBeNull();
    expect(verdict.warning).toContain('blocks nothing in this event: Tests fail');
  });

  it('denies a tool by its permission decision, and nothing else by it', () => {
    const denied = answer({ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'rm' } });
    expect(judge('PreToolUse', denied).blockReason).toBe('rm');
    for (const event of HOOK_EVENTS.filter((name) => name !== 'PreToolUse')) {
      expect(judge(event, denied)).toEqual({ blockReason: null, warning: null, context: '' });
    }
    const allowed = answer({ hookSpecificOutput: { permissionDecision: 'allow' } });
    expect(judge('PreToolUse', allowed).blockReason).toBeNull();
  });

  it.each(HOOK_EVENTS)('%s: "continue": false blocks tools and prompts only', (event) => {
    const expected = event === 'PreToolUse' || event === 'UserPromptSubmit' ? 'Enough' : null;
    expect(judge(event, answer({ continue: false, stopReason: 'Enough' })).blockReason).toBe(expected);
    expect(judge(event, answer({ continue: true, stopReason: 'Enough' })).blockReason).toBeNull();
  });

  it('names the hook when a block gives no reason', () => {
    expect(judge('Stop', { exitCode: 2 }).blockReason).toBe('Blocked by the hook "./check.sh".');
    expect(judge('Stop', answer({ decision: 'block', reason: 7 })).blockReason).toMatch(/^Blocked by the hook/);
  });

  it.each(HOOK_EVENTS)('%s: plain output is context only where a prompt follows', (event) => {
    const isContext = event === 'UserPromptSubmit' || event === 'SessionStart';
    expect(judge(event, { stdout: ' Branch: main\n' }).context).toBe(isContext ? 'Branch: main' : '');
    const json = answer({ hookSpecificOutput: { additionalContext: 'Branch: dev' } });
    expect(judge(event, json).context).toBe(isContext ? 'Branch: dev' : '');
  });

  it.each(['{"decision":"block"', '{decision: "block"}', '[{"decision":"block"}]', 'decision: block'])(
    'takes output that is not a JSON object as text: %s',
    (stdout) => {
      expect(judge('UserPromptSubmit', { stdout })).toEqual({ blockReason: null, warning: null, context: stdout });
    },
  );

  it.each([null, [], 'deny', 3])('does not stumble over a hookSpecificOutput of %j', (hookSpecificOutput) => {
    expect(judge('PreToolUse', answer({ hookSpecificOutput })).blockReason).toBeNull();
  });

  it('does not listen to what a failed hook printed', () => {
    const block = answer({ decision: 'block', reason: 'no' });
    expect(judge('Stop', { ...block, exitCode: 1 }).blockReason).toBeNull();
    expect(judge('UserPromptSubmit', { exitCode: 1, stdout: 'context' }).context).toBe('');
  });

  it.each([
    ['another exit code', { exitCode: 1, stderr: 'first\nsecond' }, 'exited with 1: first'],
    ['a timeout', { exitCode: null, timedOut: true }, 'was killed after its timeout of 5 s'],
    ['a signal', { exitCode: null, signal: 'SIGSEGV' as const }, 'was ended by SIGSEGV'],
    ['a failed start', { exitCode: null, error: 'spawn EAGAIN' }, 'did not run to its end: spawn EAGAIN'],
  ])('warns of %s', (_, result, text) => {
    expect(judge('PreToolUse', result)).toEqual({
      blockReason: null,
      warning: `The PreToolUse hook "./check.sh" ${text}`,
      context: '',
    });
  });

  it('shows long commands and outputs by their beginning, in one line and without terminal codes', () => {
    const command = `echo 1\n  echo ${'x'.repeat(1_000)}`;
    const { warning } = judge(
      'Stop',
      { exitCode: 1, stderr: `\u001b[31m\u0007red\u0000\u001b[0m ${'y'.repeat(9_000)}` },
      command,
    );
    expect(warning).toMatch(/^The Stop hook "echo 1 ⏎ echo x+…" exited with 1: red y+…$/);
    expect(warning?.length).toBe(500);
    expect(judge('Stop', { exitCode: 2, stderr: 'z'.repeat(60_000) }).blockReason?.length).toBe(4_000);
  });
});
