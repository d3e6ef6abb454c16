/**
 * Coalesces concurrent reads of a key. Callers during a read share the next one: nobody gets data older than the call.
 */
export class SharedReads<T> {
  private readonly lines = new Map<string, Line<T>>();

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
  readonly ended: Promise<void>;
  next: Promise<T> | null;
}
