import fc from 'fast-check';
import { readClaim, readIdentity, type ClaimMapping } from '../../src/auth/jwt/jwt-claims.js';
import { Role } from '../../src/common/access/role.enum.js';
import { UnauthenticatedError } from '../../src/common/errors/domain-error.js';

const mapping: ClaimMapping = {
  orgClaim: 'org_id',
  emailClaim: 'email',
  roleClaim: 'role',
  teamClaim: 'team',
  roleMap: { 'platform-admins': Role.Owner, leads: Role.Manager, interns: Role.Member, owner: Role.Guest },
};

const loneSurrogate = 'a\ud800b';

describe('reading a claim', () => {
  it.each<[string, Record<string, unknown>, string, unknown]>([
    ['finds a plain name', { role: 'owner' }, 'role', 'owner'],
    ['finds a name that is an address', { 'https://a.example/role': 'owner' }, 'https://a.example/role', 'owner'],
    ['reaches into objects at dots', { realm_access: { roles: ['x'] } }, 'realm_access.roles', ['x']],
    ['prefers the literal name to the dots', { 'a.b': 1, a: { b: 2 } }, 'a.b', 1],
    ['reaches into an object whose name has dots', { 'https://a.example': { org: 'o' } }, 'https://a.example.org', 'o'],
    ['keeps a falsy value', { a: { b: false } }, 'a.b', false],
    ['keeps a literal null', { a: null }, 'a', null],
    ['finds nothing under an unknown name', { a: 1 }, 'b', undefined],
    ['finds nothing behind a string', { a: 'text' }, 'a.length', undefined],
    ['does not reach into lists', { a: ['x'] }, 'a.0', undefined],
    ['never reads the prototype', {}, 'constructor', undefined],
    ['never reads the prototype behind a dot', { a: {} }, 'a.constructor', undefined],
    ['never walks through the prototype', {}, 'constructor.name', undefined],
    ['never walks through __proto__', {}, '__proto__.toString', undefined],
    ['finds nothing under an empty name', { a: 1 }, '', undefined],
  ])('%s', (_sentence, claims, name, expected) => {
    expect(readClaim(claims, name)).toEqual(expected);
  });

  it('returns what was put there, for any names and values', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), fc.anything(), (path, value) => {
        fc.pre(value !== undefined);
        const claims = path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value);
        expect(readClaim(claims as Record<string, unknown>, path.join('.'))).toBe(value);
      }),
    );
  });
});

describe('the team of a token', () => {
  const teamOf = (team: unknown) => readIdentity({ team }, mapping).team;

  it.each<[string, unknown, string | null]>([
    ['is a text', 'Backend', 'Backend'],
    ['is the first text of a list', ['Backend', 'Web'], 'Backend'],
    ['passes over what is no text', [7, null, ['Web'], '', ' ', 'Backend'], 'Backend'],
    ['has no spaces around it', ' Backend\n', 'Backend'],
    ['is nothing without the claim', undefined, null],
    ['is nothing for null', null, null],
    ['is nothing for a number', 7, null],
    ['is nothing for an object', { name: 'Backend' }, null],
    ['is nothing for an empty list', [], null],
    ['is nothing for an empty text', '', null],
  ])('%s', (_sentence, claim, team) => {
    expect(teamOf(claim)).toBe(team);
  });

  it('is nothing while no claim is configured', () => {
    expect(readIdentity({ team: 'Backend' }, { ...mapping, teamClaim: null }).team).toBeNull();
  });

  it('is found behind dots', () => {
    expect(readIdentity({ hr: { team: 'Web' } }, { ...mapping, teamClaim: 'hr.team' }).team).toBe('Web');
  });
});

describe('the role of a token', () => {
  it.each<[string, unknown, Role | null]>([
    ['passes over a role name that is not mapped', ['manager', 'member'], null],
    ['maps a foreign name', 'platform-admins', Role.Owner],
    ['lets the map win over a role name', 'owner', Role.Guest],
    ['takes the highest of a list', ['owner', 'leads', 'interns'], Role.Manager],
    ['takes the highest whatever the order', ['platform-admins', 'interns'], Role.Owner],
    ['passes over what it does not know', ['everyone', 7, null, { owner: true }, 'interns'], Role.Member],
    ['is nobody for an unknown name', 'everyone', null],
    ['is nobody for an empty list', [], null],
    ['is nobody without the claim', undefined, null],
    ['tells letter case apart', 'Manager', null],
    ['does not look into nested lists', [['leads']], null],
    ['does not take the prototype of the map for a mapping', ['constructor', '__proto__', 'toString'], null],
  ])('%s', (_sentence, role, expected) => {
    expect(readIdentity({ role }, mapping).role).toBe(expected);
  });

  it.each<[string, unknown, Role | null]>([
    ['takes a role name as it is', 'manager', Role.Manager],
    ['takes the highest of a list', ['guest', 'manager', 'member'], Role.Manager],
    ['tells letter case apart', 'Manager', null],
  ])('without a map %s', (_sentence, role, expected) => {
    expect(readIdentity({ role }, { ...mapping, roleMap: null }).role).toBe(expected);
  });

  it.each([[true], [7], [null], [{ owner: true }]])('is refused when the claim is %j', (role) => {
    expect(() => readIdentity({ role }, mapping)).toThrow(UnauthenticatedError);
  });
});

describe('the person of a token', () => {
  const full = {
    org_id: 'acme',
    email: 'ana@example.com',
    email_verified: true,
    role: 'interns',
    given_name: 'Ana',
    family_name: 'Ng',
  };

  it('is read from the claims', () => {
    expect(readIdentity(full, mapping)).toEqual({
      organization: 'acme',
      email: 'ana@example.com',
      emailVerified: true,
      role: Role.Member,
      firstName: 'Ana',
      lastName: 'Ng',
      team: null,
    });
  });

  it('is nobody in particular without claims', () => {
    expect(readIdentity({}, mapping)).toEqual({
      organization: null,
      email: null,
      emailVerified: false,
      role: null,
      firstName: '',
      lastName: '',
      team: null,
    });
  });

  it.each([['true'], [1], [null], [undefined], [{}], [false]])(
    'does not take email_verified %j for a verified address',
    (verified) => {
      expect(readIdentity({ ...full, email_verified: verified }, mapping).emailVerified).toBe(false);
    },
  );

  it('does not extend email_verified to another address than the standard one', () => {
    const claims = { ...full, upn: 'boss@example.com' };
    const identity = readIdentity(claims, { ...mapping, emailClaim: 'upn' });
    expect(identity).toMatchObject({ email: 'boss@example.com', emailVerified: false });
  });

  it('does not count email_verified for a mapped claim when there is no standard address', () => {
    const claims = { upn: 'ana@example.com', email_verified: true };
    expect(readIdentity(claims, { ...mapping, emailClaim: 'upn' }).emailVerified).toBe(false);
  });

  it.each([[''], ['a\0b@example.com'], [loneSurrogate]])('has no address or names when the claims are %j', (value) => {
    const claims = { ...full, email: value, given_name: value, family_name: value };
    expect(readIdentity(claims, mapping)).toMatchObject({
      email: null,
      emailVerified: false,
      firstName: '',
      lastName: '',
    });
  });

  it.each([[7], [['ana@example.com']], [{}], [null], [true]])('has no names when the claims are %j', (value) => {
    const claims = { ...full, given_name: value, family_name: value };
    expect(readIdentity(claims, mapping)).toMatchObject({ firstName: '', lastName: '' });
  });

  it.each([[7], [['ana@example.com']], [{}], [null], [true]])('is refused when the address is %j', (email) => {
    expect(() => readIdentity({ ...full, email }, mapping)).toThrow(UnauthenticatedError);
  });

  it.each([[7], [['acme']], [{}], [null], [''], ['a\0b'], [loneSurrogate]])(
    'is refused when the organization is %j',
    (org_id) => {
      expect(() => readIdentity({ ...full, org_id }, mapping)).toThrow(UnauthenticatedError);
    },
  );

  it.each([
    ['keeps a name of 200 code points', '😀'.repeat(200), '😀'.repeat(200)],
    ['drops a name of 201 code points', '😀'.repeat(201), ''],
  ])('%s', (_sentence, given_name, expected) => {
    expect(readIdentity({ given_name }, mapping).firstName).toBe(expected);
  });

  it('is read or refused, and nothing else, whatever the claims hold', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(full), '__proto__'), fc.jsonValue()), (claims) => {
        try {
          expect(typeof readIdentity(claims, mapping).firstName).toBe('string');
        } catch (error) {
          expect(error).toBeInstanceOf(UnauthenticatedError);
        }
      }),
    );
  });
});
