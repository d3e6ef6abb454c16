import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { UtcDay } from '../../../../common/time/utc-day.js';
import { BulkDatabase } from '../../../../database/bulk-database.js';
import { BEGIN_COMPUTATION, sourceOf } from '../day-events.js';
import { FactRules } from './fact-rules.js';
import { TOKEN_COLUMNS, type TokenSum } from './figures.js';
import { selectActivity, selectModels, selectSessions, selectUserTools, TODAY_FIGURES } from './today-facts.sql.js';
import { classColumns } from './write-facts.js';

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

export interface TodayTool {
  readonly userId: string;
  readonly tool: string;
  readonly count: number;
}

export interface TodayFacts {
  readonly users: TodayUser[];
  readonly hours: TodayHour[];
  readonly userModels: UserModel[];
  readonly hourModels: HourModel[];
}

/** The facts of a day that is not over, by the rules of a closed day; nothing is stored. */
@Injectable()
export class TodayFactsRepository {
  constructor(
    private readonly bulk: BulkDatabase,
    private readonly factRules: FactRules,
  ) {}

  async read(orgId: string, day: UtcDay): Promise<TodayFacts> {
    const rules = await this.factRules.of([orgId], day);
    return this.bulk.transaction(`${BEGIN_COMPUTATION}; SET TRANSACTION READ ONLY`, async (client) => {
      const table = await sourceOf(client, day);
      if (table === null) return { users: [], hours: [], userModels: [], hourModels: [] };
      const source = { table, orgs: '$1' };
      const columns = await classColumns(client, [orgId], rules);
      const classes = columns ? 2 : null;
      const sessions = byKey(await readRows(client, selectSessions(source), [[orgId]]));
      const activity = await readRows(client, selectActivity(source), [[orgId]]);
      const models = await readRows(client, selectModels({ ...source, classes }), [[orgId], ...(columns ?? [])]);
      const sessionsOf = (row: Row) => Number(sessions.get(keyOf(row))?.sessions ?? 0);
      return {
        users: activity.filter(isOfUser).map((row) => toUser(row, sessionsOf(row))),
        hours: activity.filter(isOfHour).map((row) => toHour(row, sessionsOf(row))),
        userModels: models.filter(isOfUser).map((row) => ({ userId: String(row.user_id), ...toModel(row) })),
        hourModels: models.filter(isOfHour).map((row) => ({ hour: Number(row.hour), ...toModel(row) })),
      };
    });
  }

  async listTools(orgId: string, day: UtcDay): Promise<TodayTool[]> {
    return this.bulk.transaction(`${BEGIN_COMPUTATION}; SET TRANSACTION READ ONLY`, async (client) => {
      const table = await sourceOf(client, day);
      if (table === null) return [];
      const rows = await readRows(client, selectUserTools({ table, orgs: '$1' }), [[orgId]]);
      return rows.map(({ user_id: userId, tool, count }) => ({ userId, tool, count }) as TodayTool);
    });
  }
}

type Row = Readonly<Record<string, string | number | null>>;

async function readRows(client: PoolClient, sql: string, parameters: unknown[]): Promise<Row[]> {
  return (await client.query<Row>(sql, parameters)).rows;
}

const figuresOf = (row: Row) => Object.fromEntries(TODAY_FIGURES.map((figure) => [figure, Number(row[figure])]));

const isOfUser = (row: Row) => row.user_id !== null;
const isOfHour = (row: Row) => row.user_id === null;
const keyOf = (row: Row) => row.user_id ?? row.hour ?? '';
const byKey = (rows: Row[]) => new Map(rows.map((row) => [keyOf(row), row]));

function toUser(row: Row, sessions: number): TodayUser {
  return { ...figuresOf(row), userId: row.user_id, email: row.email, sessions } as TodayUser;
}

function toHour(row: Row, sessions: number): TodayHour {
  return { ...figuresOf(row), hour: row.hour, people: row.people, sessions } as TodayHour;
}

function toModel(row: Row): TodayModel {
  const { model_id: modelId, name: model, above, minute } = row;
  const sums = [...TOKEN_COLUMNS, 'untold'].map((column) => [column, toBigInt(row[column])]);
  return { modelId, model, above, minute, ...Object.fromEntries(sums) } as TodayModel;
}

function toBigInt(value: string | number | null | undefined): bigint | null {
  return value === null || value === undefined ? null : BigInt(value);
}
