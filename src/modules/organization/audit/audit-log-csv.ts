import { type Cell, toLine } from '../../../common/csv-line.js';
import type { StoredAuditEntry } from './audit-log.repository.js';

const COLUMNS = ['id', 'at', 'actorId', 'actorEmail', 'action', 'target', 'before', 'after', 'requestId'];

/** States are JSON text. */
export async function* toAuditLogCsv(batches: AsyncIterable<StoredAuditEntry[]>): AsyncGenerator<string> {
  yield toLine(COLUMNS);
  for await (const entries of batches) yield entries.map((entry) => toLine(cellsOf(entry))).join('');
}

function cellsOf(entry: StoredAuditEntry): Cell[] {
  const { id, at, actorId, actorEmail, action, target, before, after, requestId } = entry;
  const states = [before, after].map((state) => state && JSON.stringify(state));
  return [id, at.toISOString(), actorId, actorEmail, action, target, ...states, requestId];
}
