import { createHash } from 'node:crypto';

export type Weights<T> = readonly (readonly [value: T, weight: number])[];

/** Deterministic pseudo-random numbers, seeded by names (sfc32). */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(...names: string[]) {
    const seed = digestOf(names);
    this.a = seed.readInt32LE(0);
    this.b = seed.readInt32LE(4);
    this.c = seed.readInt32LE(8);
  }

  /** In [0, 1). */
  next(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** Both bounds included. */
  integer(min: number, max: number): number {
    return Math.floor(this.between(min, max + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Log-normal: half or double the median now and then. */
  around(median: number, spread = 0.4): number {
    const bell = this.next() + this.next() + this.next() + this.next() - 2;
    return median * Math.exp(bell * spread * Math.sqrt(3));
  }

  /** A whole number with this mean; large ones are rare. */
  count(mean: number): number {
    return Math.floor(Math.log(1 - this.next()) / Math.log(mean / (1 + mean)));
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.next() * values.length)] as T;
  }

  weighted<T>(weights: Weights<T>): T {
    let rest = this.next() * weights.reduce((sum, [, weight]) => sum + weight, 0);
    const chosen = weights.find(([, weight]) => (rest -= weight) < 0) ?? weights.at(-1);
    return (chosen as Weights<T>[number])[0];
  }
}

/** Deterministic UUIDs, seeded by names. */
export class Ids {
  private readonly start: string;
  private used = 0;

  constructor(...names: string[]) {
    const hex = digestOf(names).toString('hex');
    this.start = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(12, 15)}-8${hex.slice(15, 18)}-`;
  }

  next(): string {
    return this.start + (this.used++).toString(16).padStart(12, '0');
  }
}

export function digestOf(names: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(names)).digest();
}
