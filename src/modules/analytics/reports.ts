import type { UtcDay } from '../../common/time/utc-day.js';
import { UtcDay as Day } from '../../common/time/utc-day.js';
import { DOCUMENT_KIND, type DocumentKind } from './day-documents.js';
import {
  zeroProductivity,
  zeroTokenGroup,
  zeroTokens,
  zeroTokenTotals,
  zeroToolGroup,
  zeroTools,
} from './zero-rows.js';

/** Served from stored documents, one or more rows a day. */
export interface Report {
  readonly kind: DocumentKind;
  /** Stored as fragments of deflate. */
  readonly isCompressed: boolean;
  /** Null when a day without events has no row. */
  readonly zero: ((day: UtcDay) => object) | null;
  /** Has all fields. */
  readonly example: object;
}

const anyDay = Day.of(new Date(0));

function ofDays(kind: DocumentKind, zero: (day: UtcDay) => object, isCompressed = false): Report {
  return { kind, isCompressed, zero, example: zero(anyDay) };
}

function ofGroups(kind: DocumentKind, example: object): Report {
  return { kind, isCompressed: false, zero: null, example };
}

export const REPORTS = {
  tokens: ofDays(DOCUMENT_KIND.tokens, zeroTokens, true),
  tokenTotals: ofDays(DOCUMENT_KIND.tokenTotals, zeroTokenTotals),
  tokensByModel: ofGroups(DOCUMENT_KIND.tokensByModel, zeroTokenGroup),
  tools: ofDays(DOCUMENT_KIND.tools, zeroTools),
  toolsByName: ofGroups(DOCUMENT_KIND.toolsByName, zeroToolGroup),
  productivity: ofDays(DOCUMENT_KIND.productivity, zeroProductivity),
} as const;
export type DocumentReport = Exclude<keyof typeof REPORTS, 'tokenTotals'>;
