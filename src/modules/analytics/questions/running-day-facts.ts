import { groupedBy } from '../../../common/grouped-by.js';
import type { TodayFacts, TodayHour, TodayModel, TodayUser } from '../aggregation/facts/today-rows.js';
import { ACTIVITY_METRICS, type ActivityMetric } from './metrics.js';
import { eachActivity, type ClassSums } from './questions.repository.js';

/** The running day, small enough to keep: calls per user, per hour and in all. */
export interface FoldedDay {
  readonly users: ReadonlyMap<string, TodayUser>;
  readonly calls: ReadonlyMap<string, readonly TodayModel[]>;
  readonly hours: readonly { readonly hour: TodayHour; readonly calls: readonly TodayModel[] }[];
  readonly models: readonly {
    readonly model: string;
    readonly people: number;
    readonly calls: readonly TodayModel[];
  }[];
}

const SUMS = ['input', 'output', 'billable', 'calls', 'cache_read', 'cache_write', 'untold'] as const;

export function foldDay({ users, hours, userModels, hourModels }: TodayFacts): FoldedDay {
  const ofHour = groupedBy(hourModels, ({ hour }) => hour);
  return {
    users: new Map(users.map((user) => [user.userId, user])),
    calls: groupedBy(userModels, ({ userId }) => userId),
    hours: hours.map((hour) => ({ hour, calls: ofHour.get(hour.hour) ?? [] })),
    models: [...groupedBy(userModels, ({ model }) => model)].map(([model, calls]) => {
      return { model, people: new Set(calls.map(({ userId }) => userId)).size, calls: addUp(calls) };
    }),
  };
}

/** One row per price class. */
function addUp(rows: readonly TodayModel[]): TodayModel[] {
  const classes = groupedBy(rows, ({ modelId, above, minute }) => `${modelId} ${above} ${minute}`);
  return [...classes.values()].map((ofClass) => ofClass.reduce(plus));
}

function plus(a: TodayModel, b: TodayModel): TodayModel {
  const sums = Object.fromEntries(SUMS.map((name) => [name, a[name] + b[name]])) as Pick<
    TodayModel,
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
export function classSumsOf(row: TodayModel): ClassSums {
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
