export class UtcMonth {
  private constructor(
    private readonly year: number,
    private readonly month: number,
  ) {}

  static of(instant: Date): UtcMonth {
    return new UtcMonth(instant.getUTCFullYear(), instant.getUTCMonth());
  }

  endsAt(): Date {
    return new Date(Date.UTC(this.year, this.month + 1, 1));
  }

  /** The first day of the month, as in the database. */
  toString(): string {
    return new Date(Date.UTC(this.year, this.month, 1)).toISOString().slice(0, 10);
  }
}
