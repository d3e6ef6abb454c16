import { promisify } from 'node:util';
import { constants, inflateRaw } from 'node:zlib';
import type { PoolClient } from 'pg';
import { type ExactInteger, parseExact } from '../../../../common/exact-json.js';
import { NAME_KIND, type NameKind, TIER_CODE } from '../../../ingest/event-codes.js';
import { ADD_NAMES, hashOf, namesToAdd } from '../../../ingest/stored-names.js';
import type { ModelTokens, TokenDayRow } from '../../analytics.dto.js';
import { DOCUMENT_KIND } from '../../day-documents.js';
import type { ProductivityDayRow, ToolDayRow } from '../../tools.dto.js';
import {
  INSERT_FROZEN_DAY_FACTS,
  INSERT_FROZEN_DAY_MODEL_FACTS,
  INSERT_FROZEN_NAME_FACTS,
  INSERT_FROZEN_USER_FACTS,
  INSERT_FROZEN_USER_MODEL_FACTS,
} from './frozen-facts.sql.js';

const inflate = promisify<Buffer, { finishFlush: number }, Buffer>(inflateRaw);

export interface FrozenDay {
  readonly orgId: string;
  readonly day: string;
  readonly version: string;
}

interface NamedCount {
  readonly kind: NameKind;
  readonly name: string;
  readonly count: number;
}

/**
 * Facts of a day whose events are gone, from the rows that are served. What those do not say is null: clients, cache
 * tokens and calls of models, sessions one by one, names of each user.
 */
export async function writeFrozenFacts(client: PoolClient, frozen: FrozenDay): Promise<void> {
  const key = [frozen.day, frozen.version, frozen.orgId];
  const documents = await readDocuments(client, key);
  await client.query(INSERT_FROZEN_USER_FACTS, key);
  await client.query(INSERT_FROZEN_DAY_FACTS, [...key, documents.tools ?? null]);
  if (documents.tokens) await writeTokens(client, key, frozen.orgId, parseExact(documents.tokens) as TokenDayRow);
  const counts = [
    ...(documents.tools ? toolCounts(parseExact(documents.tools) as ToolDayRow) : []),
    ...(documents.productivity ? fileCounts(parseExact(documents.productivity) as ProductivityDayRow) : []),
  ];
  const ids = await idsOf(client, frozen.orgId, counts);
  const columns = [counts.map(ids), counts.map(({ kind }) => kind), counts.map(({ count }) => `${count}`)];
  await client.query(INSERT_FROZEN_NAME_FACTS, [...key, ...columns]);
}

type StoredTexts = Partial<Record<'tokens' | 'tools' | 'productivity', string>>;

async function readDocuments(client: PoolClient, key: unknown[]): Promise<StoredTexts> {
  const { rows } = await client.query<{ kind: number; body: string | null; fragment: Buffer | null }>(
    `SELECT d.kind, d.body, d.fragment FROM day_documents d WHERE d.day = $1 AND d.version = $2 AND d.org_id = $3`,
    key,
  );
  const find = (kind: number) => rows.find((row) => row.kind === kind);
  const fragment = find(DOCUMENT_KIND.tokens)?.fragment;
  return {
    tokens: fragment ? (await inflate(fragment, { finishFlush: constants.Z_SYNC_FLUSH })).toString() : undefined,
    tools: find(DOCUMENT_KIND.tools)?.body ?? undefined,
    productivity: find(DOCUMENT_KIND.productivity)?.body ?? undefined,
  };
}

async function writeTokens(client: PoolClient, key: unknown[], orgId: string, day: TokenDayRow): Promise<void> {
  const nameOf = ({ model_id }: ModelTokens) => ({ kind: NAME_KIND.model, name: model_id });
  const ids = await idsOf(client, orgId, day.by_model.map(nameOf));
  const columnsOf = (models: ModelTokens[]) => [
    models.map((model) => ids(nameOf(model))),
    models.map(({ model_tier }) => TIER_CODE[model_tier === 'thinking' ? 'thinking' : 'standard']),
    ...(['input_tokens', 'output_tokens', 'billable_tokens'] as const).map((field) =>
      models.map((model) => `${model[field] as ExactInteger}`),
    ),
  ];
  const ofUsers = day.by_user.flatMap(({ user_id, by_model }) => by_model.map((model) => ({ user_id, model })));
  await client.query(INSERT_FROZEN_DAY_MODEL_FACTS, [...key, ...columnsOf(day.by_model)]);
  await client.query(INSERT_FROZEN_USER_MODEL_FACTS, [
    ...key,
    ...columnsOf(ofUsers.map(({ model }) => model)),
    ofUsers.map(({ user_id }) => user_id),
  ]);
}

function toolCounts(day: ToolDayRow): NamedCount[] {
  const named = (kind: NameKind, items: { name: string; count: number }[]) => items.map((item) => ({ kind, ...item }));
  return [
    ...day.by_tool.map(({ tool, invocations }) => ({ kind: NAME_KIND.tool, name: tool, count: invocations })),
    ...day.mcp_by_server.map(({ server, invocations }) => {
      return { kind: NAME_KIND.mcpServer, name: server, count: invocations };
    }),
    ...named(NAME_KIND.skill, day.skills_by_name),
    ...named(NAME_KIND.slashCommand, day.slash_commands_by_name),
    ...day.hooks_by_event.map(({ event, matcher, command, count }) => {
      return { kind: NAME_KIND.hook, name: JSON.stringify([event, matcher, command]), count };
    }),
  ];
}

function fileCounts(day: ProductivityDayRow): NamedCount[] {
  return [
    ...day.by_language.map(({ language, count }) => ({ kind: NAME_KIND.language, name: language, count })),
    ...day.by_extension.map(({ extension, count }) => ({ kind: NAME_KIND.extension, name: extension, count })),
  ];
}

type Name = Pick<NamedCount, 'kind' | 'name'>;

/** An earlier release deleted names together with the events. */
async function idsOf(client: PoolClient, orgId: string, names: readonly Name[]): Promise<(name: Name) => number> {
  const keyOf = ({ kind, name }: Name) => `${kind} ${name}`;
  const { rows } = await client.query<Name & { id: number }>(
    `SELECT n.id, n.kind, n.name FROM event_names n
       JOIN unnest($2::smallint[], $3::bytea[]) AS w (kind, name_hash) ON w.kind = n.kind AND w.name_hash = n.name_hash
      WHERE n.org_id = $1`,
    [orgId, names.map(({ kind }) => kind), names.map(hashOf)],
  );
  const ids = new Map(rows.map((row) => [keyOf(row), row.id]));
  const missing = names.filter((name) => !ids.has(keyOf(name)));
  if (missing.length > 0) {
    const added = await client.query<Name & { id: number }>(ADD_NAMES, namesToAdd(orgId, missing));
    for (const row of added.rows) ids.set(keyOf(row), row.id);
  }
  return (name) => {
    const id = ids.get(keyOf(name));
    if (id === undefined) throw new Error(`The name ${name.name} has no id`);
    return id;
  };
}
