import { ApiProperty } from '@nestjs/swagger';
import type { ExactInteger } from '../../../common/exact-json.js';
import { ModelFiguresDto, PersonFiguresDto, SummaryFiguresDto } from './figures.dto.js';
import { CostMetaDto } from './questions.dto.js';

export class TodayHourDto extends SummaryFiguresDto {
  /**
   * The hour of the UTC day; hours without an event have no row.
   * @example 9
   */
  hour: number;
}

export class TodayModelDto extends ModelFiguresDto {
  /**
   * The model.
   * @example 'claude-sonnet-4-5'
   */
  model_id: string;

  /**
   * People who used it today.
   * @example 31
   */
  @ApiProperty({ type: 'number' })
  active_people: ExactInteger;
}

export class TodayPersonDto extends PersonFiguresDto {
  /**
   * The person.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'
   */
  user_id: string;

  /**
   * The address; null when it was erased.
   * @example 'ada@example.com'
   */
  @ApiProperty({ type: 'string', nullable: true })
  user_email: string | null;
}

/** The day so far. */
export class TodayData extends SummaryFiguresDto {
  /**
   * The running UTC day.
   * @example '2026-11-15'
   */
  date: string;

  /** By hour, in order. */
  by_hour: TodayHourDto[];

  /** By model, most billable tokens first. */
  by_model: TodayModelDto[];

  /** The ten people with most billable tokens. */
  top_people: TodayPersonDto[];
}

/** To what the figures of today belong. */
export class TodayMeta extends CostMetaDto {
  /**
   * The organization.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d40'
   */
  org_id: string;

  /**
   * What was acknowledged by then is counted, ISO 8601.
   * @example '2026-11-15T14:05:12.000Z'
   */
  as_of: string;

  /**
   * Always false: the day goes on.
   * @example false
   */
  final: boolean;

  /**
   * Another one whenever the figures or prices have changed.
   * @example 'q83vEjRWeJASNFZ4'
   */
  revision: string;
}
