import type { IngestResult } from './ingest.service.js';

/** An event that was not taken. */
export class RejectedEvent {
  /**
   * Its place in the request, from 0 (for NDJSON: among the lines that are not empty).
   * @example 3
   */
  index: number;

  /**
   * Its id, when it has one.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'
   */
  id?: string;

  /**
   * What is wrong with it.
   * @example 'inputTokens must be a whole number from 0 to 1000000000'
   */
  error: string;
}

export class IngestResponse {
  /**
   * Events that are stored now and were not before.
   * @example 2
   */
  accepted: number;

  /**
   * Events that had been stored before; they count once.
   * @example 0
   */
  duplicates: number;

  /**
   * Events that were not taken.
   * @example 1
   */
  rejectedCount: number;

  /** The first thousand of those that were not taken. */
  rejected: RejectedEvent[];
}

export function toIngestResponse(result: IngestResult): IngestResponse {
  return result;
}
