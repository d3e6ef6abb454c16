/** A sum of which parts may not be known, such as the cost of models without a price. Sums of rows add up to that of all. */
export interface Sum {
  readonly amount: bigint;
  /** How much of it is known, of how much; both 0 where everything is. */
  readonly known: bigint;
  readonly of: bigint;
}

export type Series = ReadonlyMap<string, Sum>;

export const NOTHING: Sum = { amount: 0n, known: 0n, of: 0n };

/** Null: nothing of it is known. */
export function valueOf({ amount, known, of }: Sum): bigint | null {
  return of > 0n && known === 0n ? null : amount;
}

export const whole = (amount: bigint): Sum => ({ amount, known: 0n, of: 0n });

export function plus(a: Sum, b: Sum): Sum {
  return { amount: a.amount + b.amount, known: a.known + b.known, of: a.of + b.of };
}

export function minus(a: Sum, b: Sum): Sum {
  return { amount: a.amount - b.amount, known: a.known - b.known, of: a.of - b.of };
}

export function sumOf(sums: Iterable<Sum>): Sum {
  return [...sums].reduce(plus, NOTHING);
}
