import { NAME_KIND, type NameKind } from './event-codes.js';
import type { StoredName } from './event-names.repository.js';
import type { EventName } from './usage-event.js';

const OTHER = '(other)';

/** The name under which all names of a kind are counted that are too many for their day. */
export function otherName(kind: NameKind): EventName {
  return { kind, name: kind === NAME_KIND.hook ? JSON.stringify([OTHER, '', OTHER]) : OTHER };
}

/** Names of one kind that events of one day have, in the order of the events. */
export interface WantedNames {
  readonly day: string;
  readonly kind: NameKind;
  readonly names: Set<string>;
}

/** What becomes of wanted names. */
export interface Admission extends WantedNames {
  /** The names that the day has already. */
  readonly nameIds: readonly number[];
  /** Wanted names that it gets. */
  readonly admitted: readonly string[];
  /** Whether wanted names are left over: then the day is full, and stays so. */
  readonly isFull: boolean;
}

/** The first names that arrive are the names of the day; `(other)` is none of them. */
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

/** Names that are needed for an admission, whether they exist or not. */
export function namesFor({ kind, names, admitted, isFull }: Admission): EventName[] {
  const other = otherName(kind);
  const needed = admitted.map((name) => ({ kind, name }));
  return isFull || names.has(other.name) ? [...needed, other] : needed;
}

/** Numbers of names. */
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
