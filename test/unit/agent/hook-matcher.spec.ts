import { HookMatcher, matcherProblem } from '../../../src/agent/hooks/hook-matcher.js';
import { cpuMs } from '../../support/cpu-time.js';

const noWarning = (message: string) => {
  throw new Error(message);
};

describe('hook matchers', () => {
  it.each([
    ['', 'Edit', true],
    ['*', 'anything at all', true],
    ['Edit', 'Edit', true],
    ['Edit', 'edit', false],
    ['Edit', 'MultiEdit', false],
    ['Edit', 'EditFile', false],
    ['Edit|Write', 'Write', true],
    ['Edit|Write', 'Edit', true],
    ['Edit|Write', 'EditWrite', false],
    ['Edit|Write', 'WriteX', false],
    ['mcp__.*', 'mcp__github__create_issue', true],
    ['mcp__.*', 'mcp__', true],
    ['mcp__.*', 'xmcp__github', false],
    ['mcp__.*', 'mcp__two\nlines', true],
    ['Bash|mcp__.*', 'mcp__a', true],
    ['Bash|mcp__.*', 'Bashful', false],
    ['mcp__.*__write.*', 'mcp__files__write_all', true],
    ['mcp__.*__write.*', 'mcp__files__read', false],
    ['Notebook(Edit|Read)', 'NotebookRead', true],
    ['Notebook(Edit|Read)', 'NotebookReader', false],
    ['[Ee]dit|Write', 'Editor', false],
    ['[Ee]dit|Write', 'OverWrite', false],
    ['^Edit$', 'Edit', true],
    ['[Ee]dit', 'edit', true],
    ['.', 'Ed', false],
    ['(Edit', 'Edit', null],
    ['[', '[', null],
    ['a)(b', 'ab', null],
    ['**', 'Edit', null],
  ])('%j on %j: %s', (matcher, name, expected) => {
    const problem = matcherProblem(matcher);
    if (expected === null) expect(problem).toMatch(/is not a regular expression/);
    else {
      expect(problem).toBeNull();
      expect(new HookMatcher(matcher, noWarning).fits(name)).toBe(expected);
    }
  });

  it('are limited in length', () => {
    expect(matcherProblem('a'.repeat(500))).toBeNull();
    expect(matcherProblem('a'.repeat(501))).toBe('is longer than 500 characters');
  });

  it('look at the first 200 characters of a name', () => {
    const matcher = new HookMatcher('a{200}', noWarning);
    expect(matcher.fits('a'.repeat(100_000))).toBe(true);
    expect(matcher.fits('a'.repeat(199))).toBe(false);
  });

  it.each(['(a+)+b', '(?:a|aa)+b', '(.*)*x', `${'.*'.repeat(240)}x`])(
    'that take forever (%s) are given up, said once, and count as fitting from then on',
    (slow) => {
      const warnings: string[] = [];
      const matcher = new HookMatcher(slow, (message) => warnings.push(message));
      const took = cpuMs(() => {
        for (let i = 0; i < 100; i += 1) expect(matcher.fits(`${'a'.repeat(150)}!`)).toBe(true);
      });
      expect(took).toBeLessThan(2_500);
      expect(warnings).toEqual([expect.stringContaining('takes too long')]);
    },
  );
});
