/** How long a new key works. */
export const LIFETIMES = {
  '30': '30 days',
  '90': '90 days',
  '365': 'One year',
  day: 'Until a day',
  never: 'No end',
} as const;
export type Lifetime = keyof typeof LIFETIMES;

const DAY_MS = 86_400_000;

/** The instant at which it stops; undefined: never. A chosen day is the last one, in UTC. */
export function expiresAt(lifetime: Lifetime, day: string, nowMs: number): string | undefined {
  if (lifetime === 'never') return undefined;
  if (lifetime === 'day') return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString();
  return new Date(nowMs + Number(lifetime) * DAY_MS).toISOString();
}
