import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions, getSchemaPath } from '@nestjs/swagger';
import { UtcDay } from '../time/utc-day.js';
import { ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import { isEmailAddress } from './email-address.js';
import { isLengthWithin, isList, isObject, isUuid, isWholeNumber, parseInstant } from './predicates.js';
import { NestedIn } from './request-builder.js';

/* Rules for fields of requests: each checks a value, says what is allowed, and documents it in the API. */

/** In code points. */
export const TextLength = (min: number, max: number) =>
  rule(
    'textLength',
    (value) => typeof value === 'string' && isLengthWithin(value, min, max),
    min === 0 ? `must be a string of at most ${max} characters` : `must be a string of ${min} to ${max} characters`,
    { ...(min > 0 ? { minLength: min } : {}), maxLength: max },
  );

export const EmailAddress = () =>
  rule('emailAddress', isEmailAddress, 'must be an e-mail address', { format: 'email' });

export const Uuid = () => rule('uuid', isUuid, 'must be a UUID', { format: 'uuid' });

/** ISO 8601 with a time zone, such as 2027-01-31T00:00:00Z. */
export const Instant = () =>
  rule(
    'instant',
    (value) => typeof value === 'string' && parseInstant(value) !== null,
    'must be an ISO 8601 date-time with a time zone, such as 2027-01-31T00:00:00Z',
    { format: 'date-time' },
  );

export const Day = () =>
  rule(
    'day',
    (value) => typeof value === 'string' && UtcDay.tryParse(value) !== null,
    'must be a day written YYYY-MM-DD',
    { format: 'date' },
  );

/** In a query string: digits from 1 to `max`. */
export const PageLimit = (max: number, schema: ApiPropertyOptions = { pattern: '^([1-9][0-9]?|100)$' }) =>
  rule(
    'pageLimit',
    (value) => typeof value === 'string' && /^[1-9][0-9]{0,5}$/.test(value) && Number(value) <= max,
    `must be a whole number from 1 to ${max}`,
    schema,
  );

export const OneOf = (choices: readonly string[]) =>
  rule('oneOf', (value) => choices.includes(value as string), `must be one of ${choices.join(', ')}`, {
    enum: [...choices],
  });

export const Flag = () =>
  rule('flag', (value) => typeof value === 'boolean', 'must be true or false', { type: Boolean });

export const WholeNumber = (min: number, max: number) =>
  rule('wholeNumber', (value) => isWholeNumber(value, min, max), `must be a whole number from ${min} to ${max}`, {
    type: 'integer',
    minimum: min,
    maximum: max,
  });

export const UpToField = (other: string) =>
  rule(
    'upToField',
    (value, object) => {
      const limit = object[other];
      // If that field is wrong, only that is reported.
      return isWholeNumber(
        value,
        0,
        isWholeNumber(limit, 0, Number.MAX_SAFE_INTEGER) ? limit : Number.MAX_SAFE_INTEGER,
      );
    },
    `must be a whole number from 0 to ${other}`,
    { type: 'integer', minimum: 0 },
  );

export const TextList = (maxItems: number, maxLength: number, minItems = 0) =>
  rule(
    'textList',
    (value) =>
      isList(value, minItems, maxItems) &&
      value.every((item) => typeof item === 'string' && isLengthWithin(item, 1, maxLength)),
    `must be a list of ${minItems} to ${maxItems} strings of 1 to ${maxLength} characters`,
    { type: 'array', items: { type: 'string', minLength: 1, maxLength }, minItems, maxItems },
  );

export const Matches = (
  test: (value: unknown) => boolean,
  { message, schema }: { message: string; schema: ApiPropertyOptions },
) => rule('matches', test, message, schema);

export const MapOf = (test: (value: unknown) => boolean, message: string, schema: ApiPropertyOptions) =>
  rule('mapOf', (value) => isObject(value) && Object.values(value).every(test), message, schema);

export const Nested = (requestClass: () => new () => object) =>
  applyDecorators(
    rule('nested', isObject, 'must be an object', { type: () => requestClass() }),
    ValidateNested(),
    NestedIn({ kind: 'object', requestClass, max: 1, tooMany: '' }),
  );

export const NestedWithoutNull = (requestClass: () => new () => object) =>
  applyDecorators(
    Nested(requestClass),
    rule('withoutNull', (value) => isObject(value) && !Object.values(value).includes(null), 'must not hold null', {}),
  );

export const NestedList = (requestClass: () => new () => object, minItems: number, maxItems: number) => {
  const message = `must be a list of ${minItems} to ${maxItems} objects`;
  return applyDecorators(
    rule('nestedList', (value) => isList(value, minItems, maxItems) && value.every(isObject), message, {
      type: () => requestClass(),
      isArray: true,
      minItems,
      maxItems,
    }),
    ValidateNested({ each: true }),
    NestedIn({ kind: 'list', requestClass, max: maxItems, tooMany: message }),
  );
};

interface MapBounds {
  minEntries: number;
  maxEntries: number;
  maxKeyLength: number;
}

/** An object with free keys; it becomes a Map, so that no key has a special meaning. */
export const NestedMap = (requestClass: new () => object, { minEntries, maxEntries, maxKeyLength }: MapBounds) => {
  const message = `must be an object with ${minEntries} to ${maxEntries} keys of 1 to ${maxKeyLength} characters`;
  return applyDecorators(
    rule(
      'nestedMap',
      (value) =>
        value instanceof Map &&
        value.size >= minEntries &&
        value.size <= maxEntries &&
        [...value.keys()].every((key) => isLengthWithin(key as string, 1, maxKeyLength)),
      message,
      {
        type: 'object',
        additionalProperties: { $ref: getSchemaPath(requestClass) },
        minProperties: minEntries,
        maxProperties: maxEntries,
      },
    ),
    ValidateNested({ message: 'must be an object' }),
    NestedIn({ kind: 'map', requestClass: () => requestClass, max: maxEntries, tooMany: message }),
  );
};

/** May be absent, but not null. */
export const Optional = () =>
  applyDecorators(
    ValidateIf((_, value) => value !== undefined),
    ApiPropertyOptional(),
  );

/** May be absent or null. */
export const Nullable = () =>
  applyDecorators(
    ValidateIf((_, value) => value !== undefined && value !== null),
    ApiPropertyOptional({ nullable: true }),
  );

function rule(
  name: string,
  test: (value: unknown, object: Record<string, unknown>) => boolean,
  message: string,
  schema: ApiPropertyOptions,
) {
  return applyDecorators(
    ValidateBy({
      name,
      validator: {
        validate: (value, args) => test(value, (args?.object ?? {}) as Record<string, unknown>),
        defaultMessage: () => message,
      },
    }),
    ApiProperty(schema),
  );
}
