/** What is stored of a day, as the number that stands in `day_documents.kind`. Each holds JSON rows without brackets. */
export const DOCUMENT_KIND = {
  /** The row of `/tokens`; compressed, because with its users it is the only large one. */
  tokens: 1,
  /** The same row without its breakdowns. */
  tokenTotals: 2,
  tokensByModel: 3,
  tools: 4,
  toolsByName: 5,
  productivity: 6,
} as const;
export type DocumentKind = (typeof DOCUMENT_KIND)[keyof typeof DOCUMENT_KIND];
