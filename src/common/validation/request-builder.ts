import { getMetadataStorage } from 'class-validator';
import { type FieldError, InvalidRequestError, MAX_FIELD_ERRORS } from '../errors/domain-error.js';

export type RequestClass = new () => object;

interface NestedField {
  readonly kind: 'object' | 'list' | 'map';
  readonly requestClass: () => RequestClass;
  readonly max: number;
  readonly tooMany: string;
}

/** How much of a name chosen by the caller is shown in an error. */
export const MAX_NAMED = 100;
const NESTED_FIELD = Symbol('nested field');
const knownFields = new WeakMap<RequestClass, ReadonlySet<string>>();

/** Declares the class of a nested field for `buildRequest`. */
export const NestedIn =
  (field: NestedField): PropertyDecorator =>
  (target, name) =>
    Reflect.defineMetadata(NESTED_FIELD, field, target, name);

/**
 * To be validated next. Reports unknown fields; refuses too long lists and too many fields before items are created.
 */
export function buildRequest<T extends object>(
  requestClass: new () => T,
  plain: object,
): { input: T; unknown: FieldError[] } {
  const unknown: FieldError[] = [];
  return { input: build(requestClass, plain, '', unknown) as T, unknown };
}

function build(requestClass: RequestClass, plain: object, parent: string, unknown: FieldError[]): object {
  const known = knownFieldsOf(requestClass);
  const input = new requestClass() as Record<string, unknown>;
  for (const [name, value] of Object.entries(plain)) {
    if (known.has(name)) {
      const nested = Reflect.getMetadata(NESTED_FIELD, requestClass.prototype as object, name) as
        NestedField | undefined;
      input[name] = nested ? buildNested(nested, value, parent + name, unknown) : value;
      continue;
    }
    unknown.push({ field: parent + name.slice(0, MAX_NAMED), message: 'is not a known field' });
    if (unknown.length === MAX_FIELD_ERRORS) throw invalid(unknown);
  }
  return input;
}

/** A list instead of an object, or the reverse: refused by validation without looking inside. */
const WRONG_CONTAINER = '';

function buildNested(field: NestedField, value: unknown, name: string, unknown: FieldError[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { kind, requestClass } = field;
  if (Array.isArray(value) !== (kind === 'list')) return WRONG_CONTAINER;
  if (kind === 'object') return build(requestClass(), value, `${name}.`, unknown);
  const item = (plain: unknown, key: string | number) =>
    isPlain(plain) ? build(requestClass(), plain, `${name}.${String(key).slice(0, MAX_NAMED)}.`, unknown) : null;
  const entries = Array.isArray(value) ? null : Object.entries(value);
  if ((entries ?? (value as unknown[])).length > field.max) throw InvalidRequestError.ofField(name, field.tooMany);
  // Anything but an object becomes null, which validation refuses.
  if (entries === null) return (value as unknown[]).map(item);
  return new Map(entries.map(([key, entry]) => [key, item(entry, key)]));
}

function knownFieldsOf(requestClass: RequestClass): ReadonlySet<string> {
  const cached = knownFields.get(requestClass);
  if (cached) return cached;
  const rules = getMetadataStorage().getTargetValidationMetadatas(requestClass, '', false, false);
  const known = new Set(rules.map(({ propertyName }) => propertyName));
  knownFields.set(requestClass, known);
  return known;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_SHOWN = 10;

export function invalid(errors: FieldError[]): InvalidRequestError {
  const shown = errors.slice(0, MAX_SHOWN).map(({ field, message }) => `${field}: ${message}`);
  const more = errors.length > MAX_SHOWN ? [`and ${errors.length - MAX_SHOWN} more`] : [];
  return new InvalidRequestError([...shown, ...more].join('; '), errors);
}
