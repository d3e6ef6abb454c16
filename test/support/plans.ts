import pg from 'pg';
import type { OrgDatabase, ReadLimits } from '../../src/database/org-database.js';
import { beginForOrg } from '../../src/database/row-level-security.js';
import type { TestDatabase } from './test-database.js';

export interface Statement {
  readonly sql: string;
  readonly parameters: unknown[];
}

/** Records every statement with which requests read. */
export function recordReads(db: OrgDatabase): Statement[] {
  const statements: Statement[] = [];
  const original = db.read.bind(db);
  db.read = <Row>(orgId: string, sql: string, parameters?: unknown[]) => {
    statements.push({ sql, parameters: parameters ?? [] });
    return original<Row>(orgId, sql, parameters);
  };
  const within = db.readWithin.bind(db);
  db.readWithin = <Row>(orgId: string, limits: ReadLimits, sql: string, parameters?: unknown[]) => {
    statements.push({ sql, parameters: parameters ?? [] });
    return within<Row>(orgId, limits, sql, parameters);
  };
  return statements;
}

/** Records writes of one statement. */
export function recordWrites(db: OrgDatabase): Statement[] {
  const statements: Statement[] = [];
  const original = db.write.bind(db);
  db.write = <Row>(orgId: string, sql: string, parameters?: unknown[], name?: string) => {
    statements.push({ sql, parameters: parameters ?? [] });
    return original<Row>(orgId, sql, parameters, name);
  };
  return statements;
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

export class Plan {
  constructor(private readonly root: PlanNode) {}

  /** Runs the statement as a request does, twice, and explains the second run. Writes are rolled back. */
  static async of(
    database: TestDatabase,
    orgId: string,
    statement: Statement,
    mode: 'READ ONLY' | 'READ WRITE' = 'READ ONLY',
  ): Promise<Plan> {
    return Plan.explain(database, `${beginForOrg(orgId, mode)}; SET LOCAL ROLE ${database.appRole}`, statement);
  }

  /** As the owner, for all organizations. */
  static async ofSystem(database: TestDatabase, statement: Statement): Promise<Plan> {
    return Plan.explain(database, 'BEGIN READ ONLY', statement);
  }

  private static async explain(database: TestDatabase, begin: string, { sql, parameters }: Statement): Promise<Plan> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(begin);
      await client.query(sql, parameters);
      const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`;
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explain, parameters);
      const root = rows[0]?.['QUERY PLAN'][0]?.Plan;
      if (!root) throw new Error('Postgres explained nothing');
      return new Plan(root);
    } finally {
      await client.end();
    }
  }

  get buffers(): number {
    return this.root['Shared Hit Blocks'] + this.root['Shared Read Blocks'];
  }

  get rows(): number {
    return this.root['Actual Rows'];
  }

  /** Rows that were read and filtered out. */
  get discardedRows(): number {
    const discarded = this.nodes().map((node) => (node['Rows Removed by Filter'] ?? 0) * node['Actual Loops']);
    return discarded.reduce((sum, rows) => sum + rows, 0);
  }

  get sequentialScans(): string[] {
    return this.nodes()
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .map((node) => node['Relation Name'] ?? '');
  }

  /** Without incremental sorts. */
  get sortedRows(): number {
    const sorts = this.nodes().filter((node) => node['Node Type'] === 'Sort');
    const inputs = sorts.flatMap((node) => node.Plans ?? []);
    return Math.max(0, ...inputs.map((node) => node['Actual Rows'] * node['Actual Loops']));
  }

  private nodes(node: PlanNode = this.root): PlanNode[] {
    return [node, ...(node.Plans ?? []).flatMap((child) => this.nodes(child))];
  }
}
