/** Whether tests run at full length: `npm run test:long`, as in CI. `npm test` leaves out what takes long and seldom breaks alone. */
export const isLong = process.env.LONG === '1';

/** Goes to a bound, with so much data that it takes seconds. */
export function itLong(name: string, work: () => Promise<void>, timeoutMs?: number): void {
  (isLong ? it : it.skip)(name, work, timeoutMs);
}

/** At full length all of them, otherwise every n-th; with another `turn`, other ones. */
export function everyNth<T>(n: number, values: readonly T[], turn = 0): T[] {
  return isLong ? [...values] : values.filter((_, place) => (place + turn) % n === 0);
}
