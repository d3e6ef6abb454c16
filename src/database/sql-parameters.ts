import { InvalidRequestError } from '../common/errors/domain-error.js';

/** Collects the values of a statement whose parts depend on the request; the text holds only their numbers. */
export class SqlParameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** `AND condition` for a filter that was asked for; nothing otherwise. */
  when(value: string | null | undefined, condition: (parameter: string) => string): string {
    return value === null || value === undefined ? '' : `AND ${condition(this.add(value))}`;
  }

  /** Goes on behind a position of the list: `columns` in sort order, all in one direction. */
  behind(position: readonly string[] | null, columns: string, direction: 'ascending' | 'descending'): string {
    if (position === null) return '';
    if (position.length !== columns.split(',').length) throw InvalidRequestError.ofField('cursor', 'is not valid');
    const values = position.map((part) => this.add(part)).join(', ');
    return `AND (${columns}) ${direction === 'ascending' ? '>' : '<'} (${values})`;
  }
}
