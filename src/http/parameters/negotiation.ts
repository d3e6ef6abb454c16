/**
 * The offer with the highest quality in an `Accept` or `Accept-Encoding` header; among equals, the first offer. null:
 * none is acceptable. The package `negotiator` prefers the client's order and rejects parameters such as `text/csv;
 * header=present`.
 */
export function preferred<T extends string>(header: string | undefined, offers: readonly T[]): T | null {
  if (header === undefined) return null;
  const ranges = header.split(',').map(parseRange);
  let best: { offer: T; quality: number } | null = null;
  for (const offer of offers) {
    const quality = qualityOf(offer, ranges);
    if (quality > (best?.quality ?? 0)) best = { offer, quality };
  }
  return best?.offer ?? null;
}

interface Range {
  name: string;
  quality: number;
}

function parseRange(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { name, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** The most specific range decides: `text/csv`, then `text/*`, then `*`. */
function qualityOf(offer: string, ranges: Range[]): number {
  const [type] = offer.split('/');
  const names = [offer, `${type}/*`, '*/*', '*'];
  for (const name of names) {
    const range = ranges.find((candidate) => candidate.name === name);
    if (range) return range.quality;
  }
  return 0;
}
