import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Principal } from '../../src/common/access/principal.js';
import { Role } from '../../src/common/access/role.enum.js';
import { InvalidRequestError } from '../../src/common/errors/domain-error.js';
import { type Position, toPage, toPageRequest, toPagination } from '../../src/http/paging/paging.js';

const CALLER: Principal = {
  orgId: '01980f5e-0000-7000-8000-000000000001',
  userId: '01980f5e-0000-7000-8000-000000000002',
  email: 'ada@example.com',
  role: Role.Member,
  credential: { kind: 'key', id: '1' },
  expiresAt: null,
};
const POSITION: Position = ['2026-11-15T08:30:00.123Z', '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'];

describe('paging', () => {
  it.each([
    [{}, 20],
    [{ limit: '1' }, 1],
    [{ limit: '100' }, 100],
  ])('takes the limit of %j as %d', (query, limit) => {
    expect(toPageRequest(query, CALLER, 'things')).toMatchObject({ limit, after: null });
  });

  it.each([
    ['no rows', 0, { items: [], next: null }],
    ['fewer rows than the limit', 2, { items: [1, 2], next: null }],
    ['exactly as many rows', 3, { items: [1, 2, 3], next: null }],
    ['one row more', 4, { items: [1, 2, 3], next: ['t3', '3'] }],
  ])('makes a page of %s', (_, count, page) => {
    const rows = [1, 2, 3, 4].slice(0, count);
    expect(toPage(rows, 3, (row) => [`t${row}`, `${row}`])).toEqual(page);
  });

  it('has a nextCursor only when there is more', () => {
    const request = toPageRequest({}, CALLER, 'things');
    expect(toPagination({ items: [], next: null }, request)).toEqual({ hasMore: false });
    expect(toPagination({ items: [], next: POSITION }, request)).toEqual({
      hasMore: true,
      nextCursor: expect.stringMatching(/^[\w.-]+$/) as string,
    });
  });

  it('goes on where the page ended, whatever list, filters, limit and position', () => {
    const positions = fc.array(fc.string(), { minLength: 1, maxLength: 3 });
    const filters = fc.dictionary(fc.string(), fc.option(fc.string(), { nil: undefined }), { maxKeys: 3 });
    fc.assert(
      fc.property(positions, fc.string(), filters, (position, list, filter) => {
        const cursor = cursorFor(position, list, filter);
        expect(toPageRequest({ cursor, limit: '7' }, CALLER, list, filter).after).toEqual(position);
      }),
    );
  });

  it.each<[string, Principal, string, Record<string, string>]>([
    ['another list', CALLER, 'others', { a: '1' }],
    ['another filter', CALLER, 'things', { a: '2' }],
    ['one filter fewer', CALLER, 'things', {}],
    ['one filter more', CALLER, 'things', { a: '1', b: '1' }],
    ['another user', { ...CALLER, userId: '01980f5e-0000-7000-8000-000000000003' }, 'things', { a: '1' }],
    ['another organization', { ...CALLER, orgId: '01980f5e-0000-7000-8000-000000000004' }, 'things', { a: '1' }],
  ])('refuses the cursor of a page for %s', (_, caller, list, filters) => {
    const cursor = cursorFor(POSITION, 'things', { a: '1' });
    expect(() => toPageRequest({ cursor }, caller, list, filters)).toThrow(InvalidRequestError);
  });

  it('takes filters in any order', () => {
    const cursor = cursorFor(POSITION, 'things', { a: '1', b: '2' });
    expect(toPageRequest({ cursor }, CALLER, 'things', { b: '2', a: '1' }).after).toEqual(POSITION);
  });

  it('refuses a cursor of which any character was changed, removed or added', () => {
    const cursor = cursorFor(POSITION, 'things');
    const positions = fc.nat({ max: cursor.length - 1 });
    const character = fc.constantFrom(...'AZaz09-_.%= ');
    fc.assert(
      fc.property(positions, character, fc.constantFrom('change', 'remove', 'add'), (at, char, kind) => {
        const rest = cursor.slice(kind === 'add' ? at : at + 1);
        const damaged = cursor.slice(0, at) + (kind === 'remove' ? '' : char) + rest;
        fc.pre(damaged !== cursor);
        expect(() => toPageRequest({ cursor: damaged }, CALLER, 'things')).toThrow(InvalidRequestError);
      }),
    );
  });

  it.each([
    '',
    '.',
    'null',
    'eyJ9',
    `${Buffer.from('["x","y"]').toString('base64url')}.AAAAAAAAAAAAAAAA`,
    'x'.repeat(1000),
  ])('refuses the made-up cursor %j', (cursor) => {
    expect(() => toPageRequest({ cursor }, CALLER, 'things')).toThrow(InvalidRequestError);
  });

  it.each(['', 'not JSON', 'null', '{}', '[]', '[1,2]', '[["x"]]'])(
    'refuses %j also when somebody worked out its seal',
    (position) => {
      const { scope } = toPageRequest({}, CALLER, 'things');
      const body = Buffer.from(position).toString('base64url');
      const seal = createHash('sha256').update(`${scope}\n${body}`).digest('base64url').slice(0, 16);

      expect(() => toPageRequest({ cursor: `${body}.${seal}` }, CALLER, 'things')).toThrow(InvalidRequestError);
    },
  );
});

function cursorFor(position: Position, list: string, filters: Record<string, string | undefined> = {}): string {
  const { nextCursor } = toPagination({ items: [], next: position }, toPageRequest({}, CALLER, list, filters));
  return nextCursor ?? '';
}
