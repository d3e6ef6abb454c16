/**
 * Lets those who ask for the same thing at the same time share an answer. Who comes while a read is under way shares the
 * next one: nobody is told what was read before they asked.
 */
export class SharedReads<T> {
  private readonly lines = new Map<string, Line<T>>();

  /** What `load` gives when it is called after this moment. */
  read(key: string, load: () => Promise<T>): Promise<T> {
    const line = this.lines.get(key);
    if (!line) return this.begin(key, load);
    line.next ??= line.ended.then(() => this.begin(key, load));
    return line.next;
  }

  private begin(key: string, load: () => Promise<T>): Promise<T> {
    const result = load();
    const leave = () => {
      if (line.next === null) this.lines.delete(key);
    };
    const line: Line<T> = { ended: result.then(leave, leave), next: null };
    this.lines.set(key, line);
    return result;
  }
}

interface Line<T> {
  /** Resolves once the read under way has ended, well or badly. */
  readonly ended: Promise<void>;
  /** The read of those who came later; null: nobody did. */
  next: Promise<T> | null;
}
