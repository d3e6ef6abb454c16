/** Waits until all have settled. If any failed, throws the failure of the first of them in this order. */
export async function awaitAll<T extends unknown[]>(promises: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }) as T;
}
