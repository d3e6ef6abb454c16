const FRAGMENTS = 2;
const WORDS_BEFORE = 8;
const WORDS_AFTER = 12;
const CHARACTERS_BEFORE = 100;
const CHARACTERS_AFTER = 200;
const BETWEEN = ' … ';

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const HALF_CHARACTERS = /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g;

interface Match {
  readonly start: number;
  readonly end: number;
}

/** Shows where words occur in a text. Not `ts_headline` of Postgres: it takes hundreds of milliseconds for a long text. */
export class Snippets {
  /** Keyed by the first run of letters and digits in a word. */
  private readonly wanted = new Map<string, { word: string; offset: number }[]>();

  /** `words`: lexemes of `to_tsvector`, which may also be addresses or paths. */
  constructor(words: Iterable<string>) {
    for (const word of new Set(words)) {
      const first = new RegExp(WORD).exec(word);
      if (!first) continue;
      const entries = this.wanted.get(first[0]) ?? [];
      this.wanted.set(
        first[0],
        [...entries, { word, offset: first.index }].sort((a, b) => b.word.length - a.word.length),
      );
    }
  }

  of(text: string): string {
    let snippet = '';
    let from = 0;
    for (let count = 0; count < FRAGMENTS; count++) {
      const first = this.next(text, from) ?? (count === 0 ? this.nextSubstring(text) : null);
      if (!first) break;
      const start = contextStart(text, first.start, from);
      const end = contextEnd(text, first.end);
      if (count > 0 && start > from) snippet += BETWEEN;
      snippet += this.mark(text, start, first, end).replace(HALF_CHARACTERS, '');
      from = end;
    }
    return (snippet || text.slice(0, contextEnd(text, 0)).replace(HALF_CHARACTERS, '')).trim();
  }

  /** Fallback for texts in which Postgres splits words at other characters than WORD does. */
  private nextSubstring(text: string): Match | null {
    const lower = text.toLowerCase();
    if (lower.length !== text.length) return null;
    const matches = [...this.wanted.values()].flat().map(({ word }) => ({ word, start: lower.indexOf(word) }));
    const [first] = matches.filter(({ start }) => start >= 0).sort((a, b) => a.start - b.start);
    return first ? { start: first.start, end: first.start + first.word.length } : null;
  }

  private next(text: string, from: number, until = text.length): Match | null {
    const words = new RegExp(WORD);
    words.lastIndex = from;
    for (let found = words.exec(text); found && found.index < until; found = words.exec(text)) {
      for (const { word, offset } of this.wanted.get(found[0].toLowerCase()) ?? []) {
        const start = found.index - offset;
        const end = start + word.length;
        if (start >= from && text.slice(start, end).toLowerCase() === word) return { start, end };
      }
    }
    return null;
  }

  private mark(text: string, start: number, first: Match, end: number): string {
    let marked = '';
    let from = start;
    for (let match: Match | null = first; match && match.end <= end; match = this.next(text, from, end)) {
      marked += `${text.slice(from, match.start)}**${text.slice(match.start, match.end)}**`;
      from = match.end;
    }
    return marked + text.slice(from, end);
  }
}

function contextStart(text: string, position: number, from: number): number {
  const start = Math.max(from, position - CHARACTERS_BEFORE);
  const words = [...text.slice(start, position).matchAll(WORD)];
  const first = words.at(-WORDS_BEFORE);
  return start + (words.length >= WORDS_BEFORE ? (first?.index ?? 0) : 0);
}

function contextEnd(text: string, position: number): number {
  const part = text.slice(position, position + CHARACTERS_AFTER);
  const last = [...part.matchAll(WORD)][WORDS_AFTER - 1];
  return position + (last ? last.index + last[0].length : part.length);
}
