import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TABLE_OWNERS } from '../../src/database/table-owners.js';
import { entitiesWrittenIn, type TableUse, tablesUsedIn } from '../support/sql-tables.js';

const SRC = 'src';
const TABLES = new Set(Object.keys(TABLE_OWNERS));

interface FileUse extends TableUse {
  readonly file: string;
}

const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(SRC, join(entry.parentPath, entry.name)))
  .sort();
const sourceOf = (file: string) => readFileSync(join(SRC, file), 'utf8');

/** Migrations make the tables; everything else belongs to somebody. */
const uses = files
  .filter((file) => !file.startsWith('database/migrations/'))
  .flatMap((file): FileUse[] => {
    const source = sourceOf(file);
    const written = entitiesWrittenIn(source).map((entity) => ({ table: tableOf(entity), isWrite: true }));
    return [...tablesUsedIn(source, TABLES), ...written].map((use) => ({ ...use, file }));
  });

function tableOf(entity: string): string {
  const source = files.filter((file) => file.endsWith('.entity.ts')).map(sourceOf);
  const declaration = new RegExp(String.raw`@Entity\(\{ name: '(\w+)' \}\)\s+export class ${entity}\b`);
  const table = source.map((text) => declaration.exec(text)?.[1]).find((name) => name !== undefined);
  if (table === undefined) throw new Error(`No *.entity.ts says which table ${entity} is`);
  return table;
}

const isIn = (file: string, folder: string) => file.startsWith(`${folder}/`);

describe('every table', () => {
  it('of a migration is in TABLE_OWNERS', () => {
    const created = files
      .filter((file) => file.startsWith('database/migrations/'))
      .flatMap((file) => [...sourceOf(file).matchAll(/\bCREATE TABLE (\w+)/g)].map(([, table = '']) => table));
    expect(created.length).toBeGreaterThan(30);
    const missing = created.filter((table) => !TABLES.has(table));
    expect(missing.map((table) => `The table ${table} has no owner: add it to src/database/table-owners.ts`)).toEqual(
      [],
    );
  });

  it('is written by its owner alone', () => {
    const wrong = uses.filter(({ table, isWrite, file }) => isWrite && !isIn(file, ownerOf(table)));
    expect(
      wrong.map(({ table, file }) => `src/${file} writes ${table}, which belongs to src/${ownerOf(table)}: ask it to`),
    ).toEqual([]);
  });

  it('is read by its owner, and by those of whom the list says why', () => {
    const wrong = uses.filter(
      ({ table, isWrite, file }) =>
        !isWrite && ![ownerOf(table), ...readersOf(table)].some((folder) => isIn(file, folder)),
    );
    expect(
      wrong.map(({ table, file }) => `src/${file} reads ${table} of src/${ownerOf(table)}: ask it, or say why not`),
    ).toEqual([]);
  });

  it('has no reader in the list that does not read it', () => {
    const listed = Object.keys(TABLE_OWNERS).flatMap((table) => readersOf(table).map((reader) => ({ table, reader })));
    const idle = listed.filter(
      ({ table, reader }) => !uses.some((use) => use.table === table && !use.isWrite && isIn(use.file, reader)),
    );
    expect(
      idle.map(({ table, reader }) => `src/${reader} does not read ${table} any more: take it off the list`),
    ).toEqual([]);
  });
});

describe('the reader of SQL text', () => {
  const used = (sql: string) => tablesUsedIn(`const sql = \`${sql}\`;`, TABLES);

  it.each([
    ['INSERT INTO users (id) VALUES (1)', 'users'],
    ['WITH x AS (UPDATE users u SET role = 1 RETURNING id) SELECT 1', 'users'],
    ['DELETE FROM users u WHERE u.id = 1', 'users'],
    ['COPY users FROM STDIN', 'users'],
  ])('sees that "%s" writes %s', (sql, table) => {
    expect(used(sql)).toEqual([{ table, isWrite: true }]);
  });

  it.each([
    ['SELECT 1 FROM users u', ['users']],
    ['SELECT 1 FROM users u, turns t WHERE true', ['users', 'turns']],
    ['SELECT 1 FROM unnest($1) x JOIN users u ON true', ['users']],
    ['SELECT (SELECT FROM users), ${COLUMNS} FROM turns', ['users', 'turns']],
    ['WITH users AS (SELECT 1) SELECT 1 FROM users', []],
    ['SELECT 1 FROM x FOR UPDATE OF users', []],
  ])('sees what "%s" reads', (sql, tables) => {
    expect(used(sql)).toEqual(tables.map((table) => ({ table, isWrite: false })));
  });

  it('overlooks comments', () => {
    expect(tablesUsedIn('/** UPDATE users */ const a = 1; // FROM users', TABLES)).toEqual([]);
  });
});

function ownerOf(table: string): string {
  return TABLE_OWNERS[table]?.owner ?? '';
}

function readersOf(table: string): string[] {
  return Object.keys(TABLE_OWNERS[table]?.readers ?? {});
}
