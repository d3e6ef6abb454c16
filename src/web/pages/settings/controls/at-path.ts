import { isObject, type Json } from '../json-diff.js';

export type JsonObject = { readonly [key: string]: Json };

/** The value at a place such as `modelPolicy.allowedModelIds`; undefined when it is not set. */
export function valueAt(settings: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = settings;
  for (const key of path.split('.')) value = isObject(value) ? value[key] : undefined;
  return value;
}

/** A copy with another value there; undefined takes it away, and objects that it leaves empty as well. */
export function withValueAt(settings: JsonObject, path: string, value: Json | undefined): JsonObject {
  const [key = '', ...rest] = path.split('.');
  const { [key]: old, ...others } = settings;
  const inside = isObject(old) ? old : {};
  const next = rest.length === 0 ? value : withValueAt(inside, rest.join('.'), value);
  const isGone = next === undefined || (rest.length > 0 && isObject(next) && Object.keys(next).length === 0);
  if (isGone) return others;
  return { ...settings, [key]: next };
}
