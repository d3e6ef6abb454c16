/** Characters that change how the text around them reads without being seen: direction marks, zero-width spaces. */
const UNSEEN = /[\u200B\u2060\uFEFF\u202A-\u202E\u2066-\u2069]/g;

/** Text of others with its unseen characters spelled out, so that code reads as it runs. */
export function spelledOut(text: string): string {
  return text.replace(UNSEEN, (unseen) => `[U+${unseen.charCodeAt(0).toString(16).toUpperCase()}]`);
}

/** Where a link may lead; null: nowhere. */
export function safeAddress(href: string): string | null {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return null;
  return URL.canParse(href) ? new URL(href).href : null;
}

/** What stands beside the name of a tool: a command, a path, a pattern. */
export function summaryOf(input: Readonly<Record<string, unknown>>): string {
  const names = ['command', 'cmd', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'title'];
  const values = [...names.map((name) => input[name]), ...Object.values(input)];
  const text = values.map(asText).find((value) => value !== '') ?? '';
  return spelledOut(text.slice(0, 200).split('\n', 1)[0] ?? '');
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.filter((part) => typeof part === 'string').join(' ');
  return typeof value === 'string' ? value.trim() : '';
}
