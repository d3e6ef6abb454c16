import ts from 'typescript';

/** One use of a table in SQL text. */
export interface TableUse {
  readonly table: string;
  readonly isWrite: boolean;
}

const WRITE = /\b(?:INSERT INTO|UPDATE|DELETE FROM|COPY|TRUNCATE|ALTER TABLE|DROP TABLE)\s+(?:ONLY\s+)?([a-z_]+)\b/g;
const READ = /\b(?:FROM|JOIN|USING|LOCK TABLE)\s+([^()$]*?)(?=[()$]|\b[A-Z]{2,}\b|$)/g;
const CTE = /(?:\bWITH|,)\s+([a-z_]+)\s+AS\s+(?:(?:NOT )?MATERIALIZED\s*)?\(/g;
const ANY_SQL = /\b(?:FROM|JOIN|USING|TABLE|INTO|UPDATE|COPY|TRUNCATE)\s/;
const ENTITY_WRITE = /\bmanager\.(?:insert|update|delete|save|remove|upsert)\(\s*(\w+Entity)\b/g;

/**
 * The tables of the schema that the SQL in a source file names. Table names that are put together at run time are not seen,
 * and a name that the file gives to a WITH query is not taken for the table.
 */
export function tablesUsedIn(source: string, tables: ReadonlySet<string>): TableUse[] {
  if (!ANY_SQL.test(source)) return []; // most files: parsing takes long
  const literals = literalsOf(source);
  const ctes = new Set(literals.flatMap((text) => [...text.matchAll(CTE)].map(([, name]) => name)));
  const uses = literals.flatMap((text) => [
    ...[...text.matchAll(WRITE)].map(([, table = '']) => ({ table, isWrite: true })),
    ...readTables(text.replaceAll(/\bDELETE FROM\b/g, 'DELETE')).map((table) => ({ table, isWrite: false })),
  ]);
  return uses.filter(({ table, isWrite }) => tables.has(table) && (isWrite || !ctes.has(table)));
}

/** Classes of entities that a source file writes. */
export function entitiesWrittenIn(source: string): string[] {
  return [...source.matchAll(ENTITY_WRITE)].map(([, entity = '']) => entity);
}

/** `FROM a x, b y` names two tables. */
function readTables(text: string): string[] {
  return [...text.matchAll(READ)].flatMap(([, list = '']) =>
    list.split(',').map((item) => /^\s*(?:ONLY\s+)?([a-z_]+)/.exec(item)?.[1] ?? ''),
  );
}

/** Text of string and template literals; `$` stands where a template has an expression. Comments are left out. */
function literalsOf(source: string): string[] {
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) literals.push(node.text);
    if (ts.isTemplateExpression(node)) {
      literals.push([node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('$'));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest));
  return literals;
}
