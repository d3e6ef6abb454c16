import { isObject } from '../common/validation/predicates.js';

export interface PriceProblem {
  /** Such as `models.3 (gpt-5).prices.0.since`. */
  readonly place: string;
  readonly message: string;
}

const MAX_SHOWN = 5;

export class InvalidPricesError extends Error {
  constructor(readonly problems: readonly PriceProblem[]) {
    const shown = problems.slice(0, MAX_SHOWN).map(({ place, message }) => `${place}: ${message}`);
    const more = problems.length - shown.length;
    super([...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; '));
    this.name = 'InvalidPricesError';
  }
}

/** Collects what is wrong, so that an author sees everything at once. */
export class PriceProblems {
  private readonly found: PriceProblem[] = [];

  add(place: string, message: string): void {
    this.found.push({ place, message });
  }

  throwIfAny(): void {
    if (this.found.length > 0) throw new InvalidPricesError(this.found);
  }

  /** {} when it is none. */
  object(value: unknown, place: string, fields: readonly string[]): Record<string, unknown> {
    if (!isObject(value)) {
      this.add(place, 'must be an object');
      return {};
    }
    for (const [field, content] of Object.entries(value)) {
      if (content !== undefined && !fields.includes(field))
        this.add(`${place}.${field}`, `is not known; allowed are ${fields.join(', ')}`);
    }
    return value;
  }

  /** [] when it is none. */
  list(value: unknown, place: string): unknown[] {
    if (Array.isArray(value)) return value;
    this.add(place, 'must be a list');
    return [];
  }

  optionalList(value: unknown, place: string): unknown[] {
    return value === undefined ? [] : this.list(value, place);
  }

  text(value: unknown, place: string): string {
    if (typeof value === 'string' && value.trim() === value && value.length >= 1 && value.length <= 256) return value;
    this.add(place, 'must be a text of 1 to 256 characters, without spaces at its ends');
    return '';
  }
}
