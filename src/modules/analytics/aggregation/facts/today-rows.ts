import { groupedBy } from '../../../../common/grouped-by.js';
import type { TokenSum } from './figures.js';
import { TODAY_FIGURES } from './today-facts.sql.js';

type Figures = Readonly<Record<(typeof TODAY_FIGURES)[number], number>>;

export interface TodayUser extends Figures {
  readonly userId: string;
  readonly email: string | null;
  readonly sessions: number;
}

/** Tokens of one model and price class; `cache_write_1h` and `reported_cost` may be unknown. */
export interface TodayModel extends Readonly<Record<Exclude<TokenSum, 'cache_write_1h' | 'reported_cost'>, bigint>> {
  readonly modelId: number;
  readonly model: string;
  readonly above: number;
  readonly minute: number;
  readonly cache_write_1h: bigint | null;
  readonly reported_cost: bigint | null;
  /** The part of `cache_write` of which the time to live is not known. */
  readonly untold: bigint;
}

export interface UserModel extends TodayModel {
  readonly userId: string;
}

export interface HourModel extends TodayModel {
  readonly hour: number;
}

/** `sessions`: those that began in this hour. */
export interface TodayHour extends Figures {
  readonly hour: number;
  readonly people: number;
  readonly sessions: number;
}

export interface TodayFacts {
  readonly users: TodayUser[];
  readonly hours: TodayHour[];
  readonly userModels: UserModel[];
  readonly hourModels: HourModel[];
}

/** As Postgres returns it. */
export type Row = Readonly<Record<string, string | number | null>>;

export const NOTHING: TodayFacts = { users: [], hours: [], userModels: [], hourModels: [] };

/** From the rows of `selectActivity` and `selectCalls`. */
export function toFacts(activity: readonly Row[], calls: readonly Row[]): TodayFacts {
  const users = activity.filter(isOfUser);
  const models = calls.filter(({ name }) => name !== null);
  const sessions = calls.filter((row) => row.model_id === null && isOfUser(row));
  const started = groupedBy(sessions, ({ user_id: userId }) => userId);
  return {
    users: users.map((row) => toUser(row, started.get(row.user_id)?.length ?? 0)),
    hours: activity
      .filter(isOfHour)
      .map((row) => toHour(row, countIn(row, users), countIn(row, sessions)))
      .sort((a, b) => a.hour - b.hour),
    userModels: models.filter(isOfUser).map((row) => ({ userId: String(row.user_id), ...toModel(row) })),
    hourModels: models.filter(isOfHour).map((row) => ({ hour: Number(row.hour), ...toModel(row) })),
  };
}

const isOfUser = (row: Row) => row.user_id !== null;
const isOfHour = (row: Row) => row.user_id === null;
const countIn = ({ hour }: Row, rows: readonly Row[]) =>
  rows.filter(({ hours }) => (Number(hours) >> Number(hour)) & 1).length;
const figuresOf = (row: Row) => Object.fromEntries(TODAY_FIGURES.map((figure) => [figure, Number(row[figure])]));

function toUser(row: Row, sessions: number): TodayUser {
  return { ...figuresOf(row), userId: row.user_id, email: row.email, sessions } as TodayUser;
}

function toHour(row: Row, people: number, sessions: number): TodayHour {
  return { ...figuresOf(row), hour: row.hour, people, sessions } as TodayHour;
}

/** Field by field: there are thousands of rows, and building them from a list of columns took most of the time. */
function toModel(row: Row): TodayModel {
  return {
    modelId: Number(row.model_id),
    model: String(row.name),
    above: Number(row.above),
    minute: Number(row.minute),
    input: toBigInt(row.input),
    output: toBigInt(row.output),
    billable: toBigInt(row.billable),
    calls: toBigInt(row.calls),
    cache_read: toBigInt(row.cache_read),
    cache_write: toBigInt(row.cache_write),
    cache_write_1h: toKnown(row.cache_write_1h),
    reported_cost: toKnown(row.reported_cost),
    untold: toBigInt(row.cache_write_1h === null ? row.cache_write : 0),
  };
}

const toBigInt = (value: Row[string] | undefined) => BigInt(value ?? 0);
const toKnown = (value: Row[string] | undefined) => (value === null ? null : toBigInt(value));
