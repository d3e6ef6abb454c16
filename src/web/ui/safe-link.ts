/** The address, if a browser may be led there: text from elsewhere may be `javascript:` or worse. */
export function safeAddress(text: string): string | null {
  try {
    const { protocol, href } = new URL(text);
    return protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:' ? href : null;
  } catch {
    return null;
  }
}
