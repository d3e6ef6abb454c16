/** Cached ids of the names of one kind on one day. */
export class DayNames {
  private readonly ids = new Map<string, number>();
  private otherId: number | undefined;

  /** undefined: not known yet. */
  idOf(name: string): number | undefined {
    return this.ids.get(name) ?? this.otherId;
  }

  add(name: string, id: number): void {
    this.ids.set(name, id);
  }

  /** The day is full and all its names are added: any other one is `(other)`. */
  close(otherId: number): void {
    this.otherId = otherId;
  }

  get size(): number {
    return this.ids.size;
  }
}

/** Cached ids of an organization's names, by day and kind. */
export class KnownNames {
  private readonly days = new Map<string, Map<number, DayNames>>();

  find(day: string, kind: number): DayNames | undefined {
    return this.days.get(day)?.get(kind);
  }

  of(day: string, kind: number): DayNames {
    const kinds = this.days.get(day) ?? new Map<number, DayNames>();
    this.days.set(day, kinds);
    const names = kinds.get(kind) ?? new DayNames();
    kinds.set(kind, names);
    return names;
  }
}
