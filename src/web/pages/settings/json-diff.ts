/** Differences of two JSON values, as a flat list of places. Pure. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface Difference {
  /** Where, such as `modelPolicy.allowedModelIds` or `customModels[0].baseUrl`; empty: the value as a whole. */
  readonly path: string;
  /** Undefined: it was not there. */
  readonly before: Json | undefined;
  /** Undefined: it is not there any more. */
  readonly after: Json | undefined;
}

/** In the order of the keys; entries of lists of plain values are compared as sets, of lists of objects by place. */
export function jsonDiff(before: Json | undefined, after: Json | undefined, path = ''): Difference[] {
  if (isSame(before, after)) return [];
  if (isList(before) && isList(after)) return listDiff(before, after, path);
  if (isObject(before) && isObject(after)) {
    return keysOf(before, after).flatMap((key) =>
      jsonDiff(own(before, key), own(after, key), path ? `${path}.${key}` : key),
    );
  }
  return [{ path, before, after }];
}

function listDiff(before: readonly Json[], after: readonly Json[], path: string): Difference[] {
  if ([...before, ...after].some((entry) => isObject(entry) || isList(entry))) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, i) => jsonDiff(before[i], after[i], `${path}[${i}]`)).flat();
  }
  const removed = without(before, after).map((entry) => ({ path: `${path}[]`, before: entry, after: undefined }));
  const added = without(after, before).map((entry) => ({ path: `${path}[]`, before: undefined, after: entry }));
  const differences = [...removed, ...added];
  // The same entries in another order.
  return differences.length > 0 ? differences : [{ path, before, after }];
}

/** Entries of the first list that the second does not have, each as often as it is missing. */
function without(list: readonly Json[], other: readonly Json[]): Json[] {
  const left = [...other];
  return list.filter((entry) => {
    const at = left.indexOf(entry);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

/** The order of keys does not count, that of entries does. */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isList(a) && isList(b)) return a.length === b.length && a.every((entry, i) => isSame(entry, b[i]));
  if (isObject(a) && isObject(b)) return keysOf(a, b).every((key) => isSame(own(a, key), own(b, key)));
  return false;
}

function keysOf(a: object, b: object): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

/** Keys are anybody's choice: `constructor` is one like the others. */
function own(object: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
