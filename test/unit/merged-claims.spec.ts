import { mergeClaims } from '../../src/modules/console/sso/merged-claims.js';

describe('claims of the ID token and of the user info endpoint', () => {
  it('are one, in which the ID token counts more', () => {
    const merged = mergeClaims({ sub: 'a', role: 'member' }, { sub: 'a', role: 'owner', given_name: 'Ada' });
    expect(merged).toMatchObject({ sub: 'a', role: 'member', given_name: 'Ada' });
  });

  it.each([
    [{ email: 'a@x' }, { email: 'b@x', email_verified: true }, { email: 'a@x', email_verified: undefined }],
    [{ email: 'a@x' }, { email_verified: true }, { email: 'a@x', email_verified: undefined }],
    [{ email: 'a@x', email_verified: true }, { email: 'b@x' }, { email: 'a@x', email_verified: true }],
    [{ email_verified: true }, { email: 'b@x' }, { email: 'b@x', email_verified: undefined }],
    [{}, { email: 'b@x', email_verified: true }, { email: 'b@x', email_verified: true }],
  ])('never vouch for an address of the other: %j and %j', (idToken, userInfo, expected) => {
    expect(mergeClaims(idToken, userInfo)).toEqual(expected);
  });
});
