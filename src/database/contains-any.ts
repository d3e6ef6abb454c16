/** Whether `text` contains one of the words in the parameter `words`, which have to be in lower case; in any letter case. */
export function containsAny(text: string, words: string): string {
  return `EXISTS (SELECT FROM unnest(${words}::text[]) AS w (word) WHERE strpos(lower(${text}), w.word) > 0)`;
}
