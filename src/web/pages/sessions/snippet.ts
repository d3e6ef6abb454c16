export interface SnippetPart {
  readonly text: string;
  readonly isFound: boolean;
}

/** The service puts two asterisks around each word that was found. */
export function partsOf(snippet: string): SnippetPart[] {
  return snippet
    .split('**')
    .map((text, i) => ({ text, isFound: i % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
