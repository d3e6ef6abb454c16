/** What the first words of a text make the echo agent do before it answers. */
export type EchoDirective =
  | { readonly name: 'sleep'; readonly seconds: number }
  | { readonly name: 'tool'; readonly tool: string }
  | { readonly name: 'updates'; readonly count: number }
  | { readonly name: 'fail' }
  | { readonly name: 'crash' };

export interface EchoText {
  readonly directives: readonly EchoDirective[];
  readonly rest: string;
}

export function parseEcho(text: string): EchoText {
  const directives: EchoDirective[] = [];
  let rest = text.trimStart();
  for (;;) {
    const [word = ''] = rest.split(/\s/, 1);
    const directive = parseDirective(word);
    if (!directive) return { directives, rest };
    directives.push(directive);
    rest = rest.slice(word.length).trimStart();
  }
}

function parseDirective(word: string): EchoDirective | null {
  if (word === 'fail' || word === 'crash') return { name: word };
  const [, name, value = ''] = /^(sleep|tool|updates):(.+)$/.exec(word) ?? [];
  if (name === 'tool') return { name, tool: value };
  const number = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : null;
  if (name === 'sleep' && number !== null) return { name, seconds: number };
  if (name === 'updates' && number !== null) return { name, count: Math.floor(number) };
  return null;
}
