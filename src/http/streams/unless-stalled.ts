/** Calls `cut` when the reader has taken no piece for `ms`. */
export async function* unlessStalled<T>(pieces: AsyncIterable<T>, ms: number, cut: () => void): AsyncGenerator<T> {
  for await (const piece of pieces) {
    const stalled = setTimeout(cut, ms);
    try {
      yield piece;
    } finally {
      clearTimeout(stalled);
    }
  }
}
