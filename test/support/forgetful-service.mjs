import { EventWriter } from '../../dist/modules/ingest/event-writer.js';

/** The service with a planted bug: it acknowledges events before they are written. */
const { write } = EventWriter.prototype;
EventWriter.prototype.write = function (orgId, rows) {
  setTimeout(() => void write.call(this, orgId, rows).catch(() => undefined), 400);
  return Promise.resolve(rows);
};
await import('../../dist/main.js');
