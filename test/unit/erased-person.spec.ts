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

  it('and nothing else changes when nothing is known of them', () => {
    expect(withoutPerson({ a: '' }, { id: 'x', email: null, firstName: '', lastName: '' })).toEqual({ a: '' });
  });
});
