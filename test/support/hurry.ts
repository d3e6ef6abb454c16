/** Makes every wait of this length a short one, until the function that it returns is called. */
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
