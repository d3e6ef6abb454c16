import type { TodayFacts, TodayHour, TodayModel, TodayUser } from '../aggregation/facts/today-facts.repository.js';
import { ACTIVITY_METRICS, type ActivityMetric } from './metrics.js';
import { eachActivity, type ClassSums } from './questions.repository.js';

/** Tokens of one price class, without the hour. */
export interface DayCalls extends Omit<TodayModel, 'hour' | 'userId' | 'client' | 'tier'> {
  /** The part of `cache_write` of which the time to live is not known. */
  readonly untold: bigint;
}

/** The running day, small enough to keep: calls per user, per hour and in all. */
export interface FoldedDay {
  readonly users: ReadonlyMap<string, TodayUser>;
  readonly calls: ReadonlyMap<string, readonly DayCalls[]>;
  readonly hours: readonly { readonly hour: TodayHour; readonly calls: readonly DayCalls[] }[];
  readonly models: readonly { readonly model: string; readonly people: number; readonly calls: readonly DayCalls[] }[];
}

const SUMS = ['input', 'output', 'billable', 'calls', 'cache_read', 'cache_write', 'untold'] as const;

export function foldDay({ users, models, hours }: TodayFacts): FoldedDay {
  const [ofUser, ofHour, ofModel] = [new Folded<string>(), new Folded<number>(), new Folded<string>()];
  const people = new Map<string, Set<string>>();
  for (const row of models) {
    ofUser.add(row.userId, row);
    ofHour.add(row.hour, row);
    ofModel.add(row.model, row);
    people.set(row.model, (people.get(row.model) ?? new Set()).add(row.userId));
  }
  return {
    users: new Map(users.map((user) => [user.userId, user])),
    calls: ofUser.groups(),
    hours: hours.map((hour) => ({ hour, calls: ofHour.groups().get(hour.hour) ?? [] })),
    models: [...ofModel.groups()].map(([model, calls]) => ({ model, people: people.get(model)?.size ?? 0, calls })),
  };
}

/** Adds up what has one key and one price class. */
class Folded<Key> {
  private readonly byKey = new Map<Key, Map<string, DayCalls>>();

  add(key: Key, row: TodayModel): void {
    const classes = this.byKey.get(key) ?? new Map<string, DayCalls>();
    this.byKey.set(key, classes);
    const ofClass = `${row.modelId} ${row.above} ${row.minute}`;
    const before = classes.get(ofClass);
    const calls = { ...row, untold: row.cache_write_1h === null ? row.cache_write : 0n };
    classes.set(ofClass, before ? plus(before, calls) : calls);
  }

  groups(): Map<Key, DayCalls[]> {
    return new Map([...this.byKey].map(([key, classes]) => [key, [...classes.values()]]));
  }
}

function plus(a: DayCalls, b: DayCalls): DayCalls {
  const sums = Object.fromEntries(SUMS.map((name) => [name, a[name] + b[name]])) as Pick<
    DayCalls,
    (typeof SUMS)[number]
  >;
  return {
    ...a,
    ...sums,
    cache_write_1h: plusKnown(a.cache_write_1h, b.cache_write_1h),
    reported_cost: plusKnown(a.reported_cost, b.reported_cost),
  };
}

function plusKnown(a: bigint | null, b: bigint | null): bigint | null {
  return a === null ? b : a + (b ?? 0n);
}

/** In the form of the facts of a closed day. */
export function classSumsOf(row: DayCalls): ClassSums {
  return {
    modelId: row.modelId,
    model: row.model,
    above: row.above,
    minute: row.minute,
    segment: 0,
    isUnknown: false,
    input: row.input,
    output: row.output,
    cacheRead: row.cache_read,
    cacheWrite: row.cache_write,
    cacheWrite1h: row.cache_write_1h ?? 0n,
    cacheWriteUntold: row.untold,
    billable: row.billable,
    calls: row.calls,
    knownCacheRead: row.cache_read,
    knownCacheWrite: row.cache_write,
    reportedCost: row.reported_cost,
  };
}

export function activityOf(row: TodayUser | TodayHour): Record<ActivityMetric, bigint> {
  return eachActivity((metric) => ACTIVITY_METRICS[metric].reduce((sum, column) => sum + BigInt(row[column]), 0n));
}
