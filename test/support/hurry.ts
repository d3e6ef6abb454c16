/** Shortens every timer of this length, until the returned function is called. */
export function hurry(
  timer: 'setTimeout' | 'setInterval',
  { fromMs, toMs }: { fromMs: number; toMs: number },
): () => void {
  const original = globalThis[timer];
  const hurried = (work: () => void, ms?: number) => original(work, ms === fromMs ? toMs : ms);
  Object.assign(globalThis, { [timer]: Object.assign(hurried, original) });
  return () => {
    Object.assign(globalThis, { [timer]: original });
  };
}
