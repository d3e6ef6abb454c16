import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { UtcDay } from '../../../../common/time/utc-day.js';
import { BulkDatabase } from '../../../../database/bulk-database.js';
import { BEGIN_COMPUTATION, sourceOf } from '../day-events.js';
import { FactRules } from './fact-rules.js';
import { COUNTED_FIGURES, type CountedFigure, TOKEN_COLUMNS, type TokenSum } from './figures.js';
import { selectHours, selectUserFigures, selectUserModelFacts } from './user-facts.sql.js';
import { classColumns } from './write-facts.js';

type Figures = Readonly<Record<CountedFigure, number>>;

export interface TodayUser extends Figures {
  readonly userId: string;
  readonly email: string | null;
  readonly sessions: number;
}

/** Tokens of one user, client, model, price class and hour; `cache_write_1h` and `reported_cost` may be unknown. */
export interface TodayModel extends Readonly<Record<Exclude<TokenSum, 'cache_write_1h' | 'reported_cost'>, bigint>> {
  readonly userId: string;
  readonly hour: number;
  readonly modelId: number;
  readonly model: string;
  readonly client: number;
  readonly above: number;
  readonly minute: number;
  readonly tier: number;
  readonly cache_write_1h: bigint | null;
  readonly reported_cost: bigint | null;
}

/** `sessions`: those that began in this hour. */
export interface TodayHour extends Figures {
  readonly hour: number;
  readonly people: number;
  readonly sessions: number;
}

export interface TodayFacts {
  readonly users: TodayUser[];
  readonly models: TodayModel[];
  readonly hours: TodayHour[];
}

/** The facts of a day that is not over, by the statements that make those of a closed day; nothing is stored. */
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
      if (table === null) return { users: [], models: [], hours: [] };
      const source = { table, orgs: '$1' };
      const columns = await classColumns(client, [orgId], rules);
      const models = selectUserModelFacts({ ...source, classes: columns ? 2 : null, isByHour: true });
      const names = `SELECT m.*, n.name FROM (${models}) m JOIN event_names n ON n.org_id = m.org_id AND n.id = m.model_id`;
      const users = `SELECT u.*, x.email FROM (${selectUserFigures(source)}) u
                       LEFT JOIN users x ON x.org_id = u.org_id AND x.id = u.user_id`;
      return {
        users: (await readRows(client, users, [[orgId]])).map(toUser),
        models: (await readRows(client, names, [[orgId], ...(columns ?? [])])).map(toModel),
        hours: (await readRows(client, selectHours(source), [[orgId]])).map(toHour),
      };
    });
  }
}

type Row = Readonly<Record<string, string | number | null>>;

async function readRows(client: PoolClient, sql: string, parameters: unknown[]): Promise<Row[]> {
  return (await client.query<Row>(sql, parameters)).rows;
}

const figuresOf = (row: Row) => Object.fromEntries(COUNTED_FIGURES.map((figure) => [figure, Number(row[figure])]));

function toUser(row: Row): TodayUser {
  const { user_id: userId, email, sessions } = row;
  return { ...figuresOf(row), userId, email, sessions: Number(sessions) } as TodayUser;
}

function toHour(row: Row): TodayHour {
  return { ...figuresOf(row), hour: row.hour, people: row.people, sessions: row.sessions } as TodayHour;
}

function toModel(row: Row): TodayModel {
  const { user_id: userId, model_id: modelId, name: model, hour, client, above, minute, tier } = row;
  const sums = TOKEN_COLUMNS.map((column) => [column, toBigInt(row[column])]);
  return { userId, modelId, model, hour, client, above, minute, tier, ...Object.fromEntries(sums) } as TodayModel;
}

function toBigInt(value: string | number | null | undefined): bigint | null {
  return value === null || value === undefined ? null : BigInt(value);
}
