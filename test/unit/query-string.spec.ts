import 'reflect-metadata';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import fc from 'fast-check';
import {
  MALFORMED_QUERY,
  MAX_QUERY_PAIRS,
  parseQueryString,
  REPEATED,
} from '../../src/common/validation/query-string.js';
import { UndeclaredInputGuard } from '../../src/http/server/undeclared-input.guard.js';
import { anyText } from '../support/any-text.js';

describe('the query string parser', () => {
  it.each<[string, Record<string, string | typeof REPEATED>]>([
    ['', {}],
    ['a=1', { a: '1' }],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['=1', { '': '1' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=b%3Dc%26d', { a: 'b=c&d' }],
    ['a=b+c%2B', { a: 'b c+' }],
    ['a=%F0%9F%98%80', { a: '\u{1F600}' }],
    ['a=%0D%0A', { a: '\r\n' }],
    ['a=1&a=2', { a: REPEATED }],
    ['a=1&%61=2&a=3&b=4', { a: REPEATED, b: '4' }],
    ['a[]=1', { 'a[]': '1' }],
    ['a[b]=1', { 'a[b]': '1' }],
    ['A=1&a=2', { A: '1', a: '2' }],
    ['a=1&', { a: '1', '': '' }],
    ['a=1;b=2', { a: '1;b=2' }],
    ['toString=1&hasOwnProperty=2', { toString: '1', hasOwnProperty: '2' }],
  ])('reads %j literally', (text, expected) => {
    const query = parseQueryString(text);
    expect({ ...query }).toEqual(expected);
    expect(query[MALFORMED_QUERY]).toBeUndefined();
  });

  it('keeps a parameter named __proto__ as a parameter', () => {
    const query = parseQueryString('__proto__=1&constructor=2');
    expect(Object.keys(query)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(query)).toBeNull();
  });

  it.each([
    ['a NUL', 'a=x%00y'],
    ['a NUL in a name', 'x%00=1'],
    ['a raw NUL', 'a=\0'],
    ['a byte that is not UTF-8', 'a=%ff'],
    ['an overlong sequence', 'a=%C0%80'],
    ['an encoded surrogate', 'a=%ED%A0%80'],
    ['a lone percent sign', 'a=%'],
    ['half an escape', 'a=%4'],
    ['an escape that is no number', 'a=%zz'],
    ['an unescaped half of a surrogate pair', 'a=\ud800'],
    ['a bad name beside good parameters', 'a=1&%ff=2&b=3'],
  ])('marks %s as malformed', (_, text) => {
    expect(parseQueryString(text)[MALFORMED_QUERY]).toBe(true);
  });

  it(`takes ${MAX_QUERY_PAIRS} pairs, and looks at none of more`, () => {
    const pairs = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=1`).join('&');
    expect(Object.keys(parseQueryString(pairs(MAX_QUERY_PAIRS)))).toHaveLength(MAX_QUERY_PAIRS);
    const tooMany = parseQueryString(pairs(MAX_QUERY_PAIRS + 1));
    expect([Object.keys(tooMany), tooMany[MALFORMED_QUERY]]).toEqual([[], true]);
  });

  it('reads back whatever was encoded properly', () => {
    const text = anyText().map((value) => value.replaceAll('\0', ''));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, maxLength: 5 }), (pairs) => {
        const encoded = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
        // A single pair of two empty strings is "=".
        expect(Object.entries(parseQueryString(encoded)).sort()).toEqual([...pairs].sort());
      }),
    );
  });

  it('never throws', () => {
    const fragments = fc.constantFrom('%', '%0', '%f0%9f', '=', '&', '+', 'a', '\ud83d', '\0', '[]');
    const hostile = fc.array(fragments, { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(fc.property(fc.oneof(fc.string(), hostile), (text) => void parseQueryString(text)));
  });
});

describe('a query string or a body that a route does not declare', () => {
  class Controller {}
  function handle(): void {}

  /** Nest names the arguments of a route; custom decorators get a name that begins with random hex digits. */
  function guard(argumentName: string, query: string, headers: Record<string, string> = {}): void {
    Reflect.defineMetadata(ROUTE_ARGS_METADATA, { [argumentName]: { index: 0 } }, Controller, 'handle');
    const request = { query: parseQueryString(query), headers };
    const context = new ExecutionContextHost([request], Controller, handle);
    new UndeclaredInputGuard().canActivate(context);
  }

  it.each(['4:0', '4:1'])('is looked at elsewhere when the argument %s declares the query', (name) => {
    expect(() => guard(name, 'a=1')).not.toThrow();
  });

  it.each([
    '5:0',
    '4abc__customRouteArgs__:0',
    '4__customRouteArgs__:0',
    '43bc__customRouteArgs__:0',
    'b4__customRouteArgs__:0',
  ])('is refused when the only argument is %s', (name) => {
    expect(() => guard(name, 'a=1')).toThrow('This route takes no query parameters.');
    expect(() => guard(name, 'a=%ff')).toThrow('The query string is not valid.');
    expect(() => guard(name.replace('4', '3'), '', { 'content-length': '2' })).toThrow('This route takes no body.');
  });
});
