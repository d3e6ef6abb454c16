/** Runs `work` for every item, even if some fail; throws at the end if any did. */
export async function forEachIndependently<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  onFailure: (item: T, error: unknown) => void,
): Promise<void> {
  let failures = 0;
  let first: unknown;
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      if (failures++ === 0) first = error;
      onFailure(item, error);
    }
  }
  if (failures > 0) throw new Error(`${failures} failed, the first with: ${String(first)}`, { cause: first });
}
