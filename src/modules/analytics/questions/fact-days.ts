import { Injectable } from '@nestjs/common';
import { GoneError, UnavailableError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { AggregationService } from '../aggregation/aggregation.service.js';
import type { AnalyticsRange } from '../analytics-range.js';
import { type FactDay, FactDaysRepository } from './fact-days.repository.js';
import type { PinnedDays } from './fact-rows.sql.js';

/** Replaced versions are deleted after ten minutes; a minute is left for reading them. */
const KEPT_MS = 9 * 60_000;

/** With what a list began: the newest version of its days, and when that was. */
export interface Beginning {
  readonly version: string;
  readonly at: Date;
}

/** Which version of each day is read, so that all parts of an answer and all pages of a list belong together. */
@Injectable()
export class FactDays {
  constructor(
    private readonly days: FactDaysRepository,
    private readonly aggregation: AggregationService,
    private readonly clock: Clock,
  ) {}

  /** The versions with which a list began; null: the current ones. */
  async pin(orgId: string, range: AnalyticsRange | null, beginning: Beginning | null = null): Promise<PinnedDays> {
    if (range === null || range.isEmpty) return { days: [], versions: [], segments: [] };
    const found = beginning ? await this.list(orgId, range, beginning.version) : await this.current(orgId, range);
    const known = found.flatMap(({ day, version }) => (version === null ? [] : [{ day, version }]));
    // While all that was replaced since is kept, a day without a version then had no events yet.
    const isKept = beginning === null || beginning.at.getTime() > this.keptSince.getTime();
    if (known.length < found.length && !isKept) throw figuresAreGone();
    return {
      days: known.map(({ day }) => day),
      versions: known.map(({ version }) => version),
      segments: [],
    };
  }

  private get keptSince(): Date {
    return new Date(this.clock.now().getTime() - KEPT_MS);
  }

  private async current(orgId: string, range: AnalyticsRange): Promise<FactDay[]> {
    const found = await this.list(orgId, range, null);
    if (found.every(({ hasFacts }) => hasFacts)) return found;
    await this.aggregation.ensureFacts(orgId, range);
    const now = await this.list(orgId, range, null);
    if (!now.every(({ hasFacts }) => hasFacts))
      throw new UnavailableError('Some days are being computed anew. Try again shortly.');
    return now;
  }

  private list(orgId: string, range: AnalyticsRange, asOf: string | null): Promise<FactDay[]> {
    return this.days.listDays(orgId, range, asOf, this.keptSince);
  }
}

export function figuresAreGone(): GoneError {
  return new GoneError('The figures of this list have been replaced meanwhile. Begin again without a cursor.');
}

/** The newest version: later ones are larger. */
export function newestOf(...ranges: PinnedDays[]): string {
  const versions = ranges.flatMap((range) => range.versions).map(BigInt);
  return String(versions.reduce((newest, version) => (version > newest ? version : newest), 0n));
}
