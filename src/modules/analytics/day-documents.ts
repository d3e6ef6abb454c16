/** The values of `day_documents.kind`. A document holds JSON rows without brackets. */
export const DOCUMENT_KIND = {
  /** The row of `/tokens`; compressed, as it is the only large one. */
  tokens: 1,
  /** The same row without breakdowns. */
  tokenTotals: 2,
  tokensByModel: 3,
  tools: 4,
  toolsByName: 5,
  productivity: 6,
} as const;
export type DocumentKind = (typeof DOCUMENT_KIND)[keyof typeof DOCUMENT_KIND];
