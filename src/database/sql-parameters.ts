import { InvalidRequestError } from '../common/errors/domain-error.js';

/** Collects parameters of a statement that is put together from parts; the text holds only placeholders. */
export class SqlParameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** `AND condition` if there is a value, else nothing. */
  when(value: string | null | undefined, condition: (parameter: string) => string): string {
    return value === null || value === undefined ? '' : `AND ${condition(this.add(value))}`;
  }

  /** Keyset pagination: rows after `position`. `columns` in sort order, all in one direction. */
  behind(position: readonly string[] | null, columns: string, direction: 'ascending' | 'descending'): string {
    if (position === null) return '';
    if (position.length !== columns.split(',').length) throw InvalidRequestError.ofField('cursor', 'is not valid');
    const values = position.map((part) => this.add(part)).join(', ');
    return `AND (${columns}) ${direction === 'ascending' ? '>' : '<'} (${values})`;
  }
}
