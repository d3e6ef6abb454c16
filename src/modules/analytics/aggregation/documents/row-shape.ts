/** A field of a row of an answer: the SQL of its JSON from facts, and what it is on a day without events. */
export interface Field<Value = unknown> {
  readonly sql: string;
  readonly zero: Value;
}

/** The fields of a row in their order; the compiler compares them with the DTO. */
export type RowShape<Row> = { readonly [Name in keyof Row]-?: Field<Row[Name]> };

export const number = (sql: string): Field<number> => ({ sql, zero: 0 });
/** Text without characters that JSON escapes. */
export const word = (sql: string, zero = ''): Field<string> => ({ sql: `concat('"', ${sql}, '"')`, zero });
/** `items`: JSON, separated by commas. */
export const list = (items: string): Field<never[]> => ({ sql: `concat('[', ${items}, ']')`, zero: [] });

export function object<Row extends object>(fields: RowShape<Row>): Field<Row> {
  return { sql: jsonOf(fields), zero: zeroOf(fields) };
}

/** The SQL of the row as JSON. */
export function jsonOf(fields: object): string {
  const entries = Object.entries(fields as Record<string, Field>);
  return `concat('{', ${entries.map(([name, { sql }], i) => `'${i === 0 ? '' : ','}"${name}":', ${sql}`).join(', ')}, '}')`;
}

export function zeroOf<Row extends object>(fields: RowShape<Row>): Row {
  const entries = Object.entries(fields as Record<string, Field>);
  return Object.fromEntries(entries.map(([name, { zero }]) => [name, zero])) as Row;
}
