import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { RefusedSender } from './refused-senders.js';

/** Telemetry from the address of the caller that was refused because of its key. */
export class RefusalsResponse {
  /**
   * How many requests, in ten minutes.
   * @example 3
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  refused: number;

  /**
   * When the last one came, ISO 8601; absent when none did.
   * @example "2026-11-15T08:30:00.000Z"
   */
  @ApiPropertyOptional({ format: 'date-time' })
  lastRefusedAt?: string;

  /**
   * Why it was refused; absent when none was.
   * @example "The credential is missing, wrong, expired or revoked."
   */
  reason?: string;
}

export function toRefusalsResponse(sender: RefusedSender | null): RefusalsResponse {
  if (!sender) return { refused: 0 };
  return { refused: sender.count, lastRefusedAt: sender.lastAt.toISOString(), reason: sender.reason };
}
