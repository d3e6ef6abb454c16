import type { ApiClient } from './api-client.js';
import { ANALYTICS } from './given-usage.js';
import { countedEvents } from './naive-events.js';
import type { NaiveRange } from './naive-questions.js';
import { daysBetween, type ReportedEvent } from './reported-events.js';

/** What has arrived on each day, by client, and what had arrived before. */
export async function expectArrived(
  client: ApiClient,
  arrivals: readonly ReportedEvent[],
  range: NaiveRange,
): Promise<void> {
  const { status, body } = await client.get(`${ANALYTICS}/completeness?startDate=${range[0]}&endDate=${range[1]}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  const events = countedEvents(arrivals);
  const expected = daysBetween(...range).flatMap((date) => {
    const own = events.filter(({ day }) => day === date);
    const sent = arrivals.filter(({ at }) => new Date(at).toISOString().startsWith(date));
    const of = (name: string) => own.filter((event) => event.client === name).length;
    const byClient = { terminal_ui: of('terminal-ui'), web: of('web'), non_interactive_cli: of('non-interactive-cli') };
    const row = { arrived: own.length, by_client: byClient, duplicates: sent.length - own.length };
    return sent.length === 0
      ? []
      : [{ date, client: 'ingest-api', ...row, rejected: 0, ignored: 0, coverage: expect.any(Object) }];
  });
  expect(body.data).toEqual(expected);
}
