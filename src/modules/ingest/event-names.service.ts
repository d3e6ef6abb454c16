import { Injectable } from '@nestjs/common';
import { isTransient } from '../../common/errors/database-errors.js';
import { AppConfig } from '../../config/app-config.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { EventNamesRepository, type StoredName } from './event-names.repository.js';
import { KnownNames } from './known-names.js';
import { type Admission, admit, NameIds, namesFor, otherName, type WantedNames } from './name-admission.js';
import { dayOf, type EventName, type UsageEvent } from './usage-event.js';

const MAX_KNOWN = 200_000;
const MAX_ATTEMPTS = 3;

type NamedEvent = Pick<UsageEvent, 'at' | 'name' | 'detail'>;

/** The ids of wanted names; of a full day, all its names. */
interface FoundNames extends Pick<WantedNames, 'day' | 'kind'> {
  readonly ids: Map<string, number>;
  readonly full: { names: StoredName[]; otherId: number } | null;
}

/**
 * Gives names their ids. A day has at most MAX_NAMES_PER_DAY names of a kind, the first that arrive; further ones count as
 * `(other)`, so that storage stays bounded and totals exact.
 */
@Injectable()
export class EventNamesService {
  private readonly known = new Map<string, KnownNames>();
  private knownCount = 0;
  /** One transaction at a time for each organization: a second one would hold a connection while it waits for the locks. */
  private readonly queues = new Map<string, Promise<void>>();

  constructor(
    private readonly config: AppConfig,
    private readonly repository: EventNamesRepository,
  ) {}

  /** Returns how to find the ids of these events' names. New names are committed before. */
  async register(
    orgId: string,
    events: readonly NamedEvent[],
  ): Promise<(event: NamedEvent, name: EventName) => number> {
    const known = this.knownOf(orgId);
    if (missingOf(known, events).length > 0) {
      await this.serialize(orgId, async () => {
        const missing = missingOf(known, events);
        if (missing.length > 0) await this.learn(orgId, known, missing);
      });
    }
    return (event, { kind, name }) => {
      const id = known.find(dayOf(event), kind)?.idOf(name);
      if (id === undefined) throw new Error('A name was used that had not been asked for');
      return id;
    };
  }

  private async learn(orgId: string, known: KnownNames, missing: WantedNames[]): Promise<void> {
    for (const { day, kind, ids, full } of await this.store(orgId, missing)) {
      const names = known.of(day, kind);
      const sizeBefore = names.size;
      for (const [name, id] of ids) names.add(name, id);
      for (const { name, id } of full?.names ?? []) names.add(name, id);
      if (full) names.close(full.otherId);
      this.knownCount += names.size - sizeBefore;
    }
  }

  private async store(orgId: string, wanted: WantedNames[]): Promise<FoundNames[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.repository.transaction((tx) => this.storeIn(tx, orgId, wanted));
      } catch (error) {
        if (!isTransient(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private async storeIn(tx: SqlTransaction, orgId: string, wanted: WantedNames[]): Promise<FoundNames[]> {
    const days = await this.repository.lockDays(tx, orgId, wanted);
    const nameIds = new Map(days.map((row) => [`${row.day} ${row.kind}`, row.nameIds]));
    const asked = wanted.flatMap(({ kind, names }) => [...[...names].map((name) => ({ kind, name })), otherName(kind)]);
    const stored = new NameIds(await this.repository.lockNames(tx, orgId, unique(asked)));
    const { maxNamesPerDay } = this.config.analytics;
    const admissions = wanted.map((each) =>
      admit(each, nameIds.get(`${each.day} ${each.kind}`) ?? [], stored, maxNamesPerDay),
    );

    const unknown = unique(admissions.flatMap(namesFor)).filter((name) => stored.find(name) === undefined);
    if (unknown.length > 0) stored.add(await this.repository.insertNames(tx, orgId, unknown));

    const found: FoundNames[] = [];
    for (const admission of admissions) found.push(await this.complete(tx, orgId, admission, stored));
    this.repository.noteUse(tx, orgId, lastDays(found));
    return found;
  }

  private async complete(
    tx: SqlTransaction,
    orgId: string,
    { day, kind, names, nameIds, admitted, isFull }: Admission,
    stored: NameIds,
  ): Promise<FoundNames> {
    const added = admitted.map((name) => stored.get({ kind, name }));
    if (added.length > 0) this.repository.addToDay(tx, orgId, { day, kind, nameIds: added });
    const other = otherName(kind);
    const ofDay = new Set([...nameIds, ...added]);
    const ids = new Map<string, number>();
    for (const name of names) {
      const id = stored.find({ kind, name });
      if (id !== undefined && (ofDay.has(id) || name === other.name)) ids.set(name, id);
    }
    if (!isFull) return { day, kind, ids, full: null };
    const all = await this.repository.listNames(tx, orgId, [...ofDay]);
    return { day, kind, ids, full: { names: all, otherId: stored.get(other) } };
  }

  private async serialize(orgId: string, work: () => Promise<void>): Promise<void> {
    const own = (this.queues.get(orgId) ?? Promise.resolve()).then(work, work);
    this.queues.set(orgId, own);
    try {
      await own;
    } finally {
      if (this.queues.get(orgId) === own) this.queues.delete(orgId);
    }
  }

  private knownOf(orgId: string): KnownNames {
    if (this.knownCount > MAX_KNOWN) {
      this.known.clear();
      this.knownCount = 0;
    }
    const known = this.known.get(orgId) ?? new KnownNames();
    this.known.set(orgId, known);
    return known;
  }
}

/** Names without a cached id, by day and kind; within that, in the order of the events. */
function missingOf(known: KnownNames, events: readonly NamedEvent[]): WantedNames[] {
  const missing = new Map<string, WantedNames>();
  const look = (day: string, { kind, name }: EventName) => {
    if (known.find(day, kind)?.idOf(name) !== undefined) return;
    const key = `${day} ${kind}`;
    const wanted = missing.get(key) ?? { day, kind, names: new Set() };
    wanted.names.add(name);
    missing.set(key, wanted);
  };
  for (const event of events) {
    if (event.name) look(dayOf(event), event.name);
    if (event.detail) look(dayOf(event), event.detail);
  }
  return [...missing.values()];
}

function unique(names: EventName[]): EventName[] {
  return [...new Map(names.map((name) => [`${name.kind} ${name.name}`, name])).values()];
}

function lastDays(found: FoundNames[]): Map<number, string> {
  const days = new Map<number, string>();
  for (const { day, ids, full } of found) {
    for (const id of [...ids.values(), ...(full ? [full.otherId] : [])]) {
      if ((days.get(id) ?? '') < day) days.set(id, day);
    }
  }
  return days;
}
