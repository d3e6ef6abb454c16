import fc from 'fast-check';
import { anyText } from '../support/any-text.js';
import { ApiClient } from '../support/api-client.js';
import type { GivenOrganization } from '../support/given.js';
import { isLong } from '../support/long.js';
import { exampleOf, type Operation, OPERATIONS, type Parameter, resolved, type Schema } from '../support/operations.js';
import { TestApp } from '../support/test-app.js';

/** Fixed, so that a run can be repeated; another one is tried with FUZZ_SEED. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_115);
const RUNS_PER_OPERATION = Number(process.env.FUZZ_RUNS ?? (isLong ? 40 : 6));

/** Signing in asks where a request comes from. */
const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

interface GeneratedRequest {
  path: string;
  query: string;
  headers: Record<string, string | undefined>;
  body: string | undefined;
}

const HOSTILE_TEXTS = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud83d',
    '\ufeff',
    '\u202e',
    '\u{1F600}'.repeat(50),
    'x'.repeat(3_000),
    "' OR 1=1 --",
    '%s%n',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'null',
    'NaN',
    '-1',
    '1e400',
    '0',
    '../../etc/passwd',
    '\r\nSet-Cookie: a=b',
  ],
  ...['${7*7}', '<script>', '$1', '\\', '"', '{}', '[]', '9999-12-31T23:59:59.999-14:00', '0001-01-01T00:00:00+14:00'],
  ...[
    'a@b.co',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.example.com`,
    '"a b"@example.com',
    'İ@example.com',
    'owner',
    'active',
  ],
];
const HOSTILE_VALUES: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  anyText({ maxLength: 30 }),
  fc.constantFrom<unknown>(null, true, 0, -0, 1.5, -1, 2 ** 31, 2 ** 53, 1e308, [], {}, [[]], { a: { b: [null] } }),
  fc.jsonValue({ maxDepth: 3 }),
);

describe('requests made up from the API document', () => {
  let app: TestApp;
  let org: GivenOrganization;
  let caller: ApiClient;
  let ids: string[];

  beforeAll(async () => {
    app = await TestApp.start({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });
    org = await app.given.organization();
    caller = app.as(org.owner);
    const others = [
      await app.given.user(org),
      await app.given.user(org),
      await app.given.user(await app.given.organization()),
    ];
    ids = others.map((user) => user.id);
  });
  afterAll(() => app.stop());

  it(`have a seed with which they can be made again: ${SEED}`, () => {
    expect(OPERATIONS.length).toBeGreaterThan(5);
  });

  it.each(OPERATIONS.map((operation): [string, Operation] => [`${operation.method} ${operation.path}`, operation]))(
    '%s answers what is documented and never fails',
    async (_, operation) => {
      const seen: Record<number, number> = {};
      await fc.assert(
        fc.asyncProperty(requests(operation, ids), async ({ path, query, headers, body }) => {
          const method = operation.method.toLowerCase() as 'get';
          const { status } = await caller.send(method, path + query, body, {
            ...SAME_ORIGIN,
            ...(headers as Record<string, string>),
          });
          seen[status] = (seen[status] ?? 0) + 1;
          expect(status).toBeLessThan(500);
        }),
        { seed: SEED, numRuns: RUNS_PER_OPERATION, endOnFailure: true },
      );
      const hasOneAnswer = /^\/(health|auth\/callback)/.test(operation.path);
      if (isLong) expect(Object.keys(seen).length).toBeGreaterThan(hasOneAnswer ? 0 : 1);
    },
  );

  it('leave a service that still works, and a database without a trace of pollution', async () => {
    expect((await caller.get('/api/v0/me')).body.user.id).toBe(org.owner.id);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

/** Requests of which most are valid but for one thing, some in everything, and some in nothing. */
function requests(operation: Operation, ids: string[]): fc.Arbitrary<GeneratedRequest> {
  const { parameters, path: template } = operation;
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const path = fc.tuple(...of('path').map(() => pathIds(ids))).map((values) => fillIn(template, values));
  const required = of('query').filter((parameter) => parameter.required);
  const asInTheDocument = fc.record({
    path,
    query: fc.constant(toQuery(required.map(({ name, schema }) => [name, exampleOf(schema)]))),
    headers: fc.constant({}),
    body: fc.constant(operation.body === null ? undefined : JSON.stringify(operation.example ?? {})),
  });
  const madeUp = fc.record({
    path,
    query: queries(of('query')),
    headers: fc.record(Object.fromEntries(of('header').map(({ name, schema }) => [name, headerValues(schema)])), {
      requiredKeys: [],
    }),
    body: operation.body === null ? fc.constant(undefined) : bodies(resolved(operation.body)),
  });
  return fc.oneof({ weight: 9, arbitrary: madeUp }, { weight: 1, arbitrary: asInTheDocument });
}

function toQuery(pairs: [string, unknown][]): string {
  const encoded = pairs.map((pair) => pair.map((part) => encodeURIComponent(String(part))).join('='));
  return encoded.length === 0 ? '' : `?${encoded.join('&')}`;
}

function pathIds(ids: string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...ids) },
    { weight: 1, arbitrary: fc.uuid() },
    // Dots and nothing at all would be another path.
    { weight: 1, arbitrary: wellFormed().filter((text) => !/^\.{0,2}$/.test(text)) },
  );
}

function queries(parameters: Parameter[]): fc.Arbitrary<string> {
  const known = parameters.map(({ name, schema }) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof({ weight: 2, arbitrary: fitting(schema) }, { weight: 1, arbitrary: wellFormed() }),
    ),
  );
  const pairs = known.map((pair, i) =>
    fc.oneof(
      fc.array(pair, { maxLength: 1 }),
      fc.array(pair, { minLength: parameters[i]?.required ? 1 : 0, maxLength: 1 }),
    ),
  );
  const more = fc.oneof(
    { weight: 4, arbitrary: fc.constant([] as [string, unknown][]) },
    { weight: 1, arbitrary: fc.array(fc.oneof(...known, fc.tuple(wellFormed(), wellFormed())), { maxLength: 2 }) },
  );
  return fc.tuple(...pairs, more).map((lists) => toQuery(lists.flat()));
}

/** Header values that an HTTP client lets out. */
function headerValues({ minLength = 1, maxLength = 255, example }: Schema): fc.Arbitrary<string> {
  const printable = fc.string({ unit: 'grapheme-ascii', minLength, maxLength: maxLength + 10 });
  const sendable = printable.filter((text) => text.trim() === text && text !== '');
  return typeof example === 'string' ? fc.oneof(sendable, fc.constant(example)) : sendable;
}

function bodies(schema: Schema): fc.Arbitrary<string> {
  const properties = Object.entries(schema.properties ?? {});
  const valid = fc.record(Object.fromEntries(properties.map(([name, property]) => [name, fitting(property)])), {
    requiredKeys: schema.required ?? [],
  });
  // Of objects with very many fields, hardly any is valid as a whole.
  const optional = properties.map(([name]) => name).filter((name) => !schema.required?.includes(name));
  const small = fc
    .tuple(valid, fc.subarray(optional, { maxLength: Math.min(2, optional.length) }))
    .map(([body, kept]) => [body, optional.filter((name) => !kept.includes(name))] as const)
    .map(([body, left]) => Object.fromEntries(Object.entries(body).filter(([name]) => !left.includes(name))));
  const names = fc.oneof(fc.constantFrom(...properties.map(([name]) => name)), wellFormed());
  const nearlyValid = fc
    .tuple(valid, names, HOSTILE_VALUES)
    .map(([body, name, value]) => Object.fromEntries([...Object.entries(body), [name, value]]));
  return fc.oneof(
    { weight: 2, arbitrary: valid.map((body) => JSON.stringify(body)) },
    { weight: 2, arbitrary: small.map((body) => JSON.stringify(body)) },
    { weight: 4, arbitrary: nearlyValid.map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: HOSTILE_VALUES.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: anyText() },
  );
}

/** Values that the schema allows. */
function fitting(schema: Schema): fc.Arbitrary<unknown> {
  const { type, format, enum: choices, minLength = 0, maxLength = 40, properties, items, ...rest } = resolved(schema);
  if (rest.oneOf) return fc.oneof(...rest.oneOf.map(fitting));
  if (rest.const !== undefined) return fc.constant(rest.const);
  if (choices) return fc.constantFrom(...choices);
  if (format === 'uri') return fc.webUrl();
  if (format === 'uuid') return fc.uuid();
  if (format === 'email') return fc.emailAddress();
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0) }).map((date) => date.toISOString());
  if (format === 'date') {
    const anyDay = fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
    return fc.oneof({ weight: 3, arbitrary: fc.constantFrom('2026-01-13', '2026-02-28', '2026-11-01') }, anyDay);
  }
  if (rest.pattern?.includes('[1-9]')) return fc.integer({ min: 1, max: 100 }).map(String);
  if (rest.pattern || isFreeMap(schema)) return fc.constant(exampleOf(schema));
  if (properties) {
    const values = Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, fitting(value)]));
    return fc.record(values, { requiredKeys: rest.required ?? [] });
  }
  if (items) return fc.array(fitting(items), { maxLength: 3 });
  const byType: Record<string, () => fc.Arbitrary<unknown>> = {
    integer: () => fc.integer({ min: rest.minimum ?? 0, max: rest.maximum ?? 1_000 }),
    number: () => fc.double({ noNaN: true, noDefaultInfinity: true }),
    boolean: () => fc.boolean(),
    string: () => fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) }),
  };
  return byType[String([type].flat()[0])]?.() ?? fc.jsonValue({ maxDepth: 2 });
}

/** Whether only the description says what the object may hold. */
function isFreeMap(schema: Schema): boolean {
  const { type, properties } = resolved(schema);
  return type === 'object' && properties === undefined;
}

/** Text that can be percent-encoded: half a surrogate pair cannot. */
function wellFormed(): fc.Arbitrary<string> {
  const texts = HOSTILE_TEXTS.filter((text) => text.isWellFormed());
  return fc.oneof(fc.constantFrom(...texts), anyText({ maxLength: 20 }));
}

function fillIn(path: string, values: string[]): string {
  let next = 0;
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(values[next++] ?? ''));
}
