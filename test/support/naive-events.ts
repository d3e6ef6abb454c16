import { namesOf, OTHER } from './naive-names.js';
import type { Event, NameKind, ReportedEvent } from './reported-events.js';

/**
 * Events as they are counted: each once, with its day, client and names. `arrivals` in order of arrival, with duplicates;
 * `maxNames` per kind and day, the first ones.
 */
export function countedEvents(arrivals: readonly ReportedEvent[], maxNames = 5_000): Event[] {
  const seen = new Set<string>();
  const namesOfDays = new Map<string, Set<string>>();
  const bounded = (day: string, [kind, name]: [NameKind, string]): [NameKind, string] => {
    const names = namesOfDays.get(`${day} ${kind}`) ?? new Set();
    namesOfDays.set(`${day} ${kind}`, names);
    if (names.size < maxNames) names.add(name);
    return [kind, names.has(name) ? name : OTHER[kind]];
  };
  const firstClients = new Map<string, string>();
  const events: Event[] = [];
  for (const arrival of arrivals) {
    const day = new Date(arrival.at).toISOString().slice(0, 10);
    if (seen.has(`${day} ${arrival.id}`)) continue;
    seen.add(`${day} ${arrival.id}`);
    const session = `${arrival.userId} ${arrival.sessionId}`;
    const isInSession = arrival.sessionId !== undefined;
    if (isInSession && arrival.client !== undefined && !firstClients.has(session)) {
      firstClients.set(session, arrival.client);
    }
    const inherited = isInSession ? firstClients.get(session) : undefined;
    const names = Object.fromEntries(namesOf(arrival).map((name) => bounded(day, name)));
    events.push({ ...arrival, day, client: arrival.client ?? inherited ?? 'non-interactive-cli', names });
  }
  return events;
}
