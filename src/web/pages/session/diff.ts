export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'place';
  readonly text: string;
}

/** Beyond this, all of the old is shown before all of the new. */
const MAX_COMPARED = 400;

/** The change that the input of a tool describes; null: it describes none. */
export function diffOf(input: Readonly<Record<string, unknown>>): DiffLine[] | null {
  const text = (...names: string[]) => names.map((name) => input[name]).find((value) => typeof value === 'string');
  if (Array.isArray(input.edits)) {
    const parts = input.edits.map((edit: unknown) => (isRecord(edit) ? diffOf(edit) : null));
    return parts.every((part) => part !== null) && parts.length > 0 ? parts.flat() : null;
  }
  const before = text('old_string', 'oldText', 'old_str', 'oldString');
  const after = text('new_string', 'newText', 'new_str', 'newString');
  if (after !== undefined) return compare(before ?? '', after);
  const patch = text('patch', 'diff');
  if (patch !== undefined && isPatch(patch)) return linesOfPatch(patch);
  const content = text('content', 'file_text');
  const path = text('file_path', 'filePath', 'path', 'abs_path');
  return content !== undefined && path !== undefined ? compare('', content) : null;
}

export function isPatch(text: string): boolean {
  return /^(?:diff --git |--- .+\n\+\+\+ |@@ |\*\*\* Begin Patch)/m.test(text);
}

export function linesOfPatch(patch: string): DiffLine[] {
  return linesOf(patch).map((line): DiffLine => {
    if (/^(?:diff |index |--- |\+\+\+ |@@|\*\*\* )/.test(line)) return { kind: 'place', text: line };
    if (line.startsWith('+')) return { kind: 'added', text: line.slice(1) };
    if (line.startsWith('-')) return { kind: 'removed', text: line.slice(1) };
    return { kind: 'same', text: line.replace(/^ /, '') };
  });
}

export function compare(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const same = (lines: string[]) => lines.map((text): DiffLine => ({ kind: 'same', text }));
  return [
    ...same(old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(old.slice(old.length - end)),
  ];
}

/** Along a longest common subsequence. */
function middle(old: string[], now: string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (old.length > MAX_COMPARED || now.length > MAX_COMPARED) return [...old.map(removed), ...now.map(added)];
  const length = lengths(old, now);
  const at = (i: number, j: number) => length[i * (now.length + 1) + j] ?? 0;
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    const [was, is] = [old[i], now[j]];
    if (was !== undefined && was === is) {
      lines.push({ kind: 'same', text: was });
      i++;
      j++;
    } else if (was !== undefined && (is === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(was));
      i++;
    } else {
      lines.push(added(is ?? ''));
      j++;
    }
  }
  return lines;
}

/** Of the longest common subsequence of everything behind (i, j). */
function lengths(old: string[], now: string[]): Uint16Array {
  const width = now.length + 1;
  const length = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      length[i * width + j] =
        old[i] === now[j]
          ? (length[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(length[(i + 1) * width + j] ?? 0, length[i * width + j + 1] ?? 0);
    }
  }
  return length;
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
