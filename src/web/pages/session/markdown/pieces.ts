/** A part of a text, and whether it may be read as Markdown. */
export interface Piece {
  readonly text: string;
  readonly isMarkdown: boolean;
}

/** The time of the parser grows with the square of the marks in a paragraph, and with its nesting. */
const MAX_MARKS = 1_000;
const MAX_PARAGRAPH = 20_000;
const MAX_WHOLE = 20_000;
const NESTED_TOO_DEEPLY = /^(?:[ \t]*[>*+-][ \t]*){9}|^[ \t]{40,}(?:[>*+-]|\d+[.)])/m;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Text that is meant to make the parser slow is shown as it is. */
export function piecesOf(text: string): Piece[] {
  const paragraphs = paragraphsOf(text).map((part) => ({ text: part, isMarkdown: isCalm(part) }));
  const isWhole = text.length <= MAX_WHOLE && paragraphs.every(({ isMarkdown }) => isMarkdown);
  return isWhole ? [{ text, isMarkdown: true }] : paragraphs;
}

function isCalm(paragraph: string): boolean {
  if (paragraph.length > MAX_PARAGRAPH) return false;
  if (FENCE.test(paragraph)) return true;
  if (NESTED_TOO_DEEPLY.test(paragraph)) return false;
  return (paragraph.match(/[*_~[\]<>`|!@\\]/g)?.length ?? 0) <= MAX_MARKS;
}

/** Cut at empty lines, but not inside fenced code. */
function paragraphsOf(text: string): string[] {
  const paragraphs: string[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const end = () => {
    if (lines.length > 0) paragraphs.push(lines.join('\n'));
    lines = [];
  };
  for (const line of text.split('\n')) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence === null && line.trim() === '') {
      end();
      continue;
    }
    if (fence === null && mark !== undefined) {
      end();
      fence = mark;
      lines.push(line);
      continue;
    }
    lines.push(line);
    if (fence !== null && mark?.startsWith(fence) && line.trim() === mark) {
      fence = null;
      end();
    }
  }
  end();
  return paragraphs;
}
