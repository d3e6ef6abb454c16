/*
 * `dirty_days` hands days over from ingest to aggregation: who stores events adds a mark in the same transaction, who
 * computes the day takes its marks. These two fragments are the only SQL that writes the table.
 */

/** Adds marks; `rows` is a VALUES list or a SELECT of organization, day and number of new events. */
export function addMarks(rows: string): string {
  return `INSERT INTO dirty_days (org_id, day, events) ${rows}`;
}

/** Takes the marks `m` that fulfil the condition, and returns them. */
export function takeMarks(condition: string): string {
  return `DELETE FROM dirty_days m WHERE ${condition} RETURNING m.org_id, m.day, m.events`;
}
