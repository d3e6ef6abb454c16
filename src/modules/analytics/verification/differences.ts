export interface Difference {
  readonly path: string;
  readonly served: unknown;
  readonly recounted: unknown;
}

export function differences(served: unknown, recounted: unknown, path = ''): Difference[] {
  if (Object.is(served, recounted)) return [];
  if (!isContainer(served) || !isContainer(recounted) || Array.isArray(served) !== Array.isArray(recounted)) {
    return [{ path, served, recounted }];
  }
  const keys = new Set([...Object.keys(served), ...Object.keys(recounted)]);
  return [...keys].flatMap((key) => differences(served[key], recounted[key], path === '' ? key : `${path}.${key}`));
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
