import type { Message } from '../../../src/web/api/messages.js';
import { pick } from '../../../src/web/pages/session/attachments.js';
import { levelsUpTo } from '../../../src/web/pages/session/choices.js';
import { compare, diffOf, linesOfPatch } from '../../../src/web/pages/session/diff.js';
import { piecesOf } from '../../../src/web/pages/session/markdown/pieces.js';
import { queuedOf } from '../../../src/web/pages/session/queue.js';
import { rowsOf } from '../../../src/web/pages/session/rows.js';
import { safeAddress, spelledOut, summaryOf } from '../../../src/web/pages/session/shown-text.js';
import { periodOf, readSessionsSearch } from '../../../src/web/pages/sessions/search.js';
import { partsOf } from '../../../src/web/pages/sessions/snippet.js';

const shown = (lines: { kind: string; text: string }[]) => lines.map(({ kind, text }) => `${kind} ${text}`);
const say = (id: string, role: Message['role'], more: Partial<Message> = {}): Message => ({
  ...{ id, role, createdAt: 0, updatedAt: 0, content: [{ type: 'text', text: id }] },
  ...more,
});

describe('a diff', () => {
  it('keeps what is the same and shows what came and went', () => {
    expect(shown(compare('a\nb\nc\nd\n', 'a\nx\nc\nd\ne\n'))).toEqual([
      ...['same a', 'removed b', 'added x', 'same c', 'same d', 'added e'],
    ]);
    expect(compare('', '')).toEqual([]);
  });

  it('of long texts is quick', () => {
    const [before, after] = ['x', 'y'].map((word) =>
      Array.from({ length: 20_000 }, (_, i) => `${word}${i}`).join('\n'),
    );
    const beganAt = performance.now();
    expect(compare(before ?? '', after ?? '')).toHaveLength(40_000);
    expect(performance.now() - beganAt).toBeLessThan(1_000);
  });

  it('follows from what a tool was given', () => {
    expect(shown(diffOf({ file_path: 'f', old_string: 'a', new_string: 'b' }) ?? [])).toEqual(['removed a', 'added b']);
    expect(shown(diffOf({ path: 'f', content: 'a\nb\n' }) ?? [])).toEqual(['added a', 'added b']);
    expect(shown(diffOf({ edits: [{ oldText: 'a', newText: 'b' }] }) ?? [])).toEqual(['removed a', 'added b']);
    expect(diffOf({ command: 'ls' })).toBeNull();
    expect(diffOf({ edits: ['?'] })).toBeNull();
  });

  it('of a patch has its signs as kinds', () => {
    expect(shown(linesOfPatch('@@ -1 +1 @@\n-a\n+b\n c'))).toEqual([
      'place @@ -1 +1 @@',
      'removed a',
      'added b',
      'same c',
    ]);
  });
});

describe('an attachment', () => {
  const file = (name: string, type: string, size = 10) => ({ name, type, size }) as File;
  const MIB = 1024 * 1024;

  it('is a picture, a PDF or text', () => {
    const files = [file('a.png', 'image/png'), file('b.pdf', 'application/pdf'), file('c.ts', 'video/mp2t')];
    const { accepted, refused } = pick(
      [],
      [...files, file('d.zip', 'application/zip'), file('e.svg', 'image/svg+xml')],
    );
    expect(accepted.map(({ kind, mediaType }) => `${kind} ${mediaType}`)).toEqual([
      ...['image image/png', 'file application/pdf', 'file text/plain'],
    ]);
    expect(refused).toEqual([expect.stringMatching(/^d\.zip: only images/), expect.stringMatching(/^e\.svg: only/)]);
  });

  it('has at most 10 MiB, and all of them have 20', () => {
    const { accepted, refused } = pick(
      [],
      [
        file('a.txt', 'text/plain', 10 * MIB + 1),
        ...['b', 'c', 'd'].map((name) => file(`${name}.txt`, 'text/plain', 10 * MIB)),
      ],
    );
    expect(accepted.map(({ name }) => name)).toEqual(['b.txt', 'c.txt']);
    expect(refused).toEqual([expect.stringContaining('at most 10 MiB'), expect.stringContaining('at most 20 MiB')]);
  });

  it('is one of at most 20 of a kind, and not empty', () => {
    const many = Array.from({ length: 21 }, (_, i) => file(`${i}.txt`, 'text/plain'));
    expect(pick([], many)).toMatchObject({ accepted: { length: 20 }, refused: [expect.stringContaining('20 files')] });
    expect(pick([], [file('x.txt', 'text/plain', 0)]).refused).toEqual(['x.txt: it is empty.']);
  });
});

describe('text of others', () => {
  it('shows the characters that would change how it reads', () => {
    expect(spelledOut('a\u202Eb\u200Bc')).toBe('a[U+202E]b[U+200B]c');
    expect(spelledOut('שלום 👩‍💻')).toBe('שלום 👩‍💻');
  });

  it.each([
    ['https://example.com/a', 'https://example.com/a'],
    ['mailto:ada@example.com', 'mailto:ada@example.com'],
    ['javascript:alert(1)', null],
    [' javascript:alert(1)', null],
    ['java\nscript:alert(1)', null],
    ['data:text/html,x', null],
    ['//example.com', null],
    ['/console/settings', null],
    ['https://', null],
    ['vbscript:x', null],
  ])('leads from %j to %j', (href, address) => {
    expect(safeAddress(href)).toBe(address);
  });

  it('is Markdown unless it is made to be slow', () => {
    expect(piecesOf('# A\n\n- b\n\n```js\n\nx\n```\n')).toHaveLength(1);
    for (const hostile of ['*a'.repeat(5_000), '> '.repeat(100), `${' '.repeat(60)}- x`, '['.repeat(5_000)]) {
      const pieces = piecesOf(`calm **text**\n\n${hostile}\n\nthe end`);
      expect(pieces.map(({ isMarkdown }) => isMarkdown)).toEqual([true, false, true]);
    }
    expect(piecesOf('x'.repeat(1_000_000))).toEqual([{ text: 'x'.repeat(1_000_000), isMarkdown: false }]);
  });

  it('keeps fenced code in one piece', () => {
    const code = `\`\`\`\n${'**a**\n\n'.repeat(1_000)}\`\`\``;
    expect(piecesOf(`${'word '.repeat(5_000)}\n\n${code}`)).toEqual([
      { text: 'word '.repeat(5_000), isMarkdown: false },
      { text: code, isMarkdown: true },
    ]);
  });

  it('says what a tool was about in a line', () => {
    expect(summaryOf({ timeout: 5, command: 'npm test\nand more' })).toBe('npm test');
    expect(summaryOf({ command: ['git', 'status'] })).toBe('git status');
    expect(summaryOf({})).toBe('');
  });
});

describe('the rows of a transcript', () => {
  const call = say('call', 'assistant', { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] });
  const result = say('result', 'tool', { content: [{ type: 'tool_result', toolUseId: 't1', content: 'ok' }] });

  it('have results with their calls', () => {
    const { rows, results, placeOf } = rowsOf([say('hi', 'user'), call, result, say('end', 'assistant')]);
    expect(rows.map(({ entry, isFirst }) => [entry.id, isFirst])).toEqual([
      ['hi', true],
      ['call', true],
      ['end', false],
    ]);
    expect(results.get('t1')).toMatchObject({ content: 'ok' });
    expect([placeOf('result'), placeOf('end'), placeOf('?')]).toEqual([1, 2, -1]);
  });

  it('have a result alone while its call is not loaded', () => {
    expect(rowsOf([result]).rows).toHaveLength(1);
  });

  it('leave out what is not for people', () => {
    expect(rowsOf([say('a', 'system', { visibility: 'llm_only' })]).rows).toEqual([]);
  });
});

describe('the queue', () => {
  const answer = (parentId: string) => say(`to-${parentId}`, 'assistant', { parentId });

  it('is empty while the session is idle', () => {
    expect([...queuedOf([say('a', 'user')], 'idle', null)]).toEqual([]);
  });

  it('is everything that has no answer while the computer has not begun', () => {
    const entries = [say('a', 'user'), answer('a'), say('b', 'user'), say('c', 'user')];
    expect([...queuedOf(entries, 'pending', null)].sort()).toEqual(['b', 'c']);
  });

  it('does not include the message that the agent works on', () => {
    const entries = [say('a', 'user'), answer('a'), say('b', 'user'), say('c', 'user')];
    expect([...queuedOf(entries, 'running', null)]).toEqual(['c']);
    expect([...queuedOf(entries, 'running', 'b')]).toEqual(['c']);
  });

  it('includes what was posted since the running turn began', () => {
    const entries = [say('a', 'user'), say('b', 'user')];
    expect([...queuedOf(entries, 'running', 'a')]).toEqual(['b']);
    const later = [say('a', 'user'), answer('a'), say('b', 'user'), { ...answer('a'), id: 'more' }];
    expect([...queuedOf(later, 'running', null)]).toEqual(['b']);
    expect([...queuedOf(later, 'running', 'a')]).toEqual(['b']);
  });
});

describe('the address of the sessions', () => {
  it('keeps what it understands', () => {
    const raw = {
      of: 'organization',
      q: 7,
      status: 'running',
      computer: 'c',
      user: 'x',
      since: '2026-11-01',
      until: '?',
    };
    expect(readSessionsSearch(raw)).toEqual({
      ...{ of: 'organization', q: '7', status: 'running', computer: 'c', since: '2026-11-01' },
    });
  });

  it('means whole days', () => {
    expect(periodOf({ since: '2026-11-01', until: '2026-11-02' })).toEqual({
      ...{ from: '2026-11-01T00:00:00.000Z', to: '2026-11-03T00:00:00.000Z' },
    });
  });
});

it('a snippet marks the words that were found', () => {
  expect(partsOf('a **b** c')).toEqual([
    { text: 'a ', isFound: false },
    { text: 'b', isFound: true },
    { text: ' c', isFound: false },
  ]);
});

it('the levels end with the highest of the organization', () => {
  expect(Object.keys(levelsUpTo('low'))).toEqual(['off', 'low']);
  expect(Object.keys(levelsUpTo('high'))).toHaveLength(4);
});
