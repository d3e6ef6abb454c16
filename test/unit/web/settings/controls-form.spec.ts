import { readFileSync } from 'node:fs';
import { valueAt, withValueAt } from '../../../../src/web/pages/settings/controls/at-path.js';
import {
  type ControlField,
  list,
  number,
  text,
  json,
} from '../../../../src/web/pages/settings/controls/field-kinds.js';
import { CONTROL_GROUPS } from '../../../../src/web/pages/settings/controls/fields.js';
import { comparedRevisions, readRevisions } from '../../../../src/web/pages/settings/controls/revisions.js';
import { readTyped, showTyped } from '../../../../src/web/pages/settings/controls/typed-value.js';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: { schemas: Record<string, Schema> };
};

/** Every field of the documented settings, with how it has to be edited. */
function documented(schema: Schema | undefined, prefix = ''): object[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix + name;
    const reference = field.$ref ?? field.allOf?.[0]?.$ref;
    if (reference) return documented(components.schemas[reference.split('/').at(-1) ?? ''], `${path}.`);
    const type = [field.type].flat().find((one) => one !== 'null');
    if (field.enum) return [{ path, kind: 'choice', options: field.enum.filter((option) => option !== null) }];
    if (type === 'integer') return [{ path, kind: 'number', min: field.minimum, max: field.maximum }];
    if (type === 'boolean') return [{ path, kind: 'flag' }];
    if (type === 'string') return [{ path, kind: 'text' }];
    return [{ path, kind: type === 'array' && field.items?.type === 'string' ? 'list' : 'json' }];
  });
}

it('the form has every field that the API document has, in its kind, and no other', () => {
  const offered = CONTROL_GROUPS.flatMap(({ fields }) => fields).map(({ label: _l, hint: _h, ...field }) => field);
  const byPath = (a: object, b: object) => ((a as ControlField).path < (b as ControlField).path ? -1 : 1);
  expect(offered.sort(byPath)).toEqual(documented(components.schemas['EnterpriseControlsSettings']).sort(byPath));
});

describe('a place in the settings', () => {
  const settings = { a: { b: { c: 1 } }, d: [1] };

  it('is read, and undefined where nothing is', () => {
    expect(valueAt(settings, 'a.b.c')).toBe(1);
    expect(['a.x', 'd.0.x', 'x.y'].map((path) => valueAt(settings, path))).toEqual([undefined, undefined, undefined]);
  });

  it('is set without touching anything else', () => {
    expect(withValueAt(settings, 'a.b.x', true)).toEqual({ a: { b: { c: 1, x: true } }, d: [1] });
    expect(withValueAt({}, 'a.b', false)).toEqual({ a: { b: false } });
    expect(settings).toEqual({ a: { b: { c: 1 } }, d: [1] });
  });

  it('leaves no empty object behind when it is taken away', () => {
    expect(withValueAt(settings, 'a.b.c', undefined)).toEqual({ d: [1] });
    expect(withValueAt(settings, 'x.y', undefined)).toEqual(settings);
  });
});

describe('what is typed into a field', () => {
  const days = number('days', '', '', 14, 365);

  it('is a value of its kind, and not set when it is empty', () => {
    expect(readTyped(list('l', '', ''), ' a \n\nb\n')).toEqual({ value: ['a', 'b'] });
    expect(readTyped(days, '90')).toEqual({ value: 90 });
    expect(readTyped(text('t', '', ''), ' x ')).toEqual({ value: 'x' });
    expect(readTyped(json('j', '', ''), '{"a": [1]}')).toEqual({ value: { a: [1] } });
    for (const field of [list('l', '', ''), days, json('j', '', '')]) {
      expect(readTyped(field, ' ')).toEqual({ value: undefined });
    }
  });

  it.each(['13', '366', '1.5', '-20', 'x'])('%j is no number of days', (typed) => {
    expect(readTyped(days, typed)).toEqual({ value: undefined, problem: 'must be a whole number from 14 to 365' });
  });

  it('says what is wrong with JSON', () => {
    expect(readTyped(json('j', '', ''), '{')).toEqual({ value: undefined, problem: expect.stringContaining('JSON') });
  });

  it('reads as it is shown', () => {
    expect(readTyped(list('l', '', ''), showTyped(list('l', '', ''), ['a', 'b']))).toEqual({ value: ['a', 'b'] });
    expect(readTyped(json('j', '', ''), showTyped(json('j', '', ''), { a: null }))).toEqual({ value: { a: null } });
  });
});

describe('the compared revisions', () => {
  it('are what the last change did, unless the address says otherwise', () => {
    expect(comparedRevisions({}, 7)).toEqual({ a: 6, b: 7 });
    expect(comparedRevisions({}, 1)).toEqual({ a: 0, b: 1 });
    expect(comparedRevisions({ b: 3 }, 7)).toEqual({ a: 2, b: 3 });
    expect(comparedRevisions({ a: 5, b: 2 }, 7)).toEqual({ a: 5, b: 2 });
  });

  it('are numbers, whatever the address holds', () => {
    expect(readRevisions({ a: '4', b: 2 })).toEqual({ a: 4, b: 2 });
    expect(readRevisions({ a: '-1', b: ['x'] })).toEqual({ a: undefined, b: undefined });
  });
});
