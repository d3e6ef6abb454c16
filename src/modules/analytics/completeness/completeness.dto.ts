import { ApiProperty } from '@nestjs/swagger';
import { AnalyticsMeta } from '../analytics.dto.js';

/** Events by the client in which they happened; null when that is no longer known. */
export class ArrivedByClient {
  /**
   * In terminals.
   * @example 1200
   */
  @ApiProperty({ type: Number, nullable: true, example: 1200 })
  terminal_ui: number | null;

  /**
   * In the web.
   * @example 0
   */
  @ApiProperty({ type: Number, nullable: true, example: 0 })
  web: number | null;

  /**
   * In programs that nobody watches, and where the client is not known.
   * @example 34
   */
  @ApiProperty({ type: Number, nullable: true, example: 34 })
  non_interactive_cli: number | null;
}

/** How much of what an agent says it sent has arrived. */
export class Coverage {
  /**
   * 1 is all of it. Null is unknown. More than 1 is possible when two processes report as one.
   * @example 0.983
   */
  @ApiProperty({ type: Number, nullable: true, example: 0.983 })
  value: number | null;

  /**
   * What it was compared with: the numbers that the agent gives its records, the counters that it sends beside them, both (the
   * smaller value counts), or nothing.
   * @example 'both'
   */
  @ApiProperty({ enum: ['sequence', 'counters', 'both', 'none'], example: 'both' })
  basis: 'sequence' | 'counters' | 'both' | 'none';

  /**
   * What has not arrived; null when that is unknown.
   * @example 21
   */
  @ApiProperty({ type: Number, nullable: true, example: 21 })
  missing: number | null;

  /**
   * What `missing` counts: records, tokens or model calls; null when it is unknown.
   * @example 'events'
   */
  @ApiProperty({ type: String, enum: ['events', 'tokens', 'model_calls', null], nullable: true, example: 'events' })
  unit: 'events' | 'tokens' | 'model_calls' | null;
}

/** What arrived on a day through a client. */
export class CompletenessRow {
  /**
   * The day, UTC.
   * @example '2026-11-14'
   */
  date: string;

  /**
   * Through what: an agent whose telemetry is read (`claude-code`, `gemini-cli`, `codex`, `opencode`, `gen-ai`),
   * `ingest-api`, `agent-client`, or `(other)`.
   * @example 'claude-code'
   */
  client: string;

  /**
   * Events of the day that are stored; null when that is no longer known.
   * @example 1234
   */
  @ApiProperty({ type: Number, nullable: true, example: 1234 })
  arrived: number | null;

  /** The same by the client of the other reads. */
  by_client: ArrivedByClient;

  /**
   * Events of the day that had arrived before.
   * @example 3
   */
  duplicates: number;

  /**
   * Events that were refused on the day.
   * @example 0
   */
  rejected: number;

  /**
   * Telemetry records that arrived on the day and that no adapter knows.
   * @example 40
   */
  ignored: number;

  /** How much of what the agent says it sent has arrived. */
  coverage: Coverage;
}

export class CompletenessMeta extends AnalyticsMeta {
  /**
   * When the newest of these figures was made, ISO 8601; null when there are none.
   * @example '2026-11-15T00:05:12.000Z'
   */
  @ApiProperty({ type: String, nullable: true, example: '2026-11-15T00:05:12.000Z' })
  data_as_of: string | null;

  /**
   * Another one whenever the answer is another one.
   * @example '3u0b2mE2mX9b4m1a'
   */
  revision: string;
}
