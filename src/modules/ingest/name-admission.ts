import { NAME_KIND, type NameKind } from './event-codes.js';
import type { StoredName } from './event-names.repository.js';
import type { EventName } from './usage-event.js';

const OTHER = '(other)';

/** Counts for all names that are too many for their day. */
export function otherName(kind: NameKind): EventName {
  return { kind, name: kind === NAME_KIND.hook ? JSON.stringify([OTHER, '', OTHER]) : OTHER };
}

/** Names in events of one day, in the order of the events. */
export interface WantedNames {
  readonly day: string;
  readonly kind: NameKind;
  readonly names: Set<string>;
}

export interface Admission extends WantedNames {
  /** The ids that the day has already. */
  readonly nameIds: readonly number[];
  readonly admitted: readonly string[];
  /** Whether some wanted names do not fit: the day stays full. */
  readonly isFull: boolean;
}

/** First come, first served; `(other)` does not count. */
export function admit(wanted: WantedNames, nameIds: readonly number[], stored: NameIds, maxNames: number): Admission {
  const { kind, names } = wanted;
  const members = new Set(nameIds);
  const other = otherName(kind).name;
  const admitted: string[] = [];
  let isFull = false;
  for (const name of names) {
    const id = stored.find({ kind, name });
    if (name === other || (id !== undefined && members.has(id))) continue;
    if (members.size + admitted.length < maxNames) admitted.push(name);
    else isFull = true;
  }
  return { ...wanted, nameIds, admitted, isFull };
}

/** Names whose ids the admission needs. */
export function namesFor({ kind, names, admitted, isFull }: Admission): EventName[] {
  const other = otherName(kind);
  const needed = admitted.map((name) => ({ kind, name }));
  return isFull || names.has(other.name) ? [...needed, other] : needed;
}

export class NameIds {
  private readonly kinds = new Map<number, Map<string, number>>();

  constructor(names: readonly StoredName[]) {
    this.add(names);
  }

  add(names: readonly StoredName[]): void {
    for (const { kind, name, id } of names) {
      const ofKind = this.kinds.get(kind) ?? new Map<string, number>();
      this.kinds.set(kind, ofKind.set(name, id));
    }
  }

  find({ kind, name }: EventName): number | undefined {
    return this.kinds.get(kind)?.get(name);
  }

  get(name: EventName): number {
    const id = this.find(name);
    if (id === undefined) throw new Error('A name was used that had not been asked for');
    return id;
  }
}
