import fc from 'fast-check';
import { withoutPerson } from '../../src/modules/erasure/erased-person.js';

describe('a person is taken out of stored values', () => {
  const ann = { id: 'x', email: 'ann@example.com', firstName: 'Ann', lastName: 'O’Neil (Jr.)' };

  it('wherever a text has a name or the address in it, as a whole word', () => {
    const value = {
      a: 'Annual',
      b: ['of ann', 'ann@example.com.au', 'x ANN@example.com'],
      c: { d: 7, e: 'O’Neil (Jr.)' },
    };
    expect(withoutPerson(value, ann)).toEqual({ a: 'Annual', b: ['', '', ''], c: { d: 7, e: '' } });
  });

  it('whatever characters their name and address have', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(text, text, text, (email, firstName, lastName) => {
        const person = { id: 'x', email: `${email}-@`, firstName, lastName: `Jean-${lastName}` };
        expect(withoutPerson([person.email, firstName, person.lastName, ''], person)).toEqual(['', '', '', '']);
      }),
    );
  });

  it('and nothing else changes when nothing is known of them', () => {
    expect(withoutPerson({ a: '' }, { id: 'x', email: null, firstName: '', lastName: '' })).toEqual({ a: '' });
  });
});
