import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type GenerateKeyPairResult } from 'jose';
import { JwksCache } from '../../src/auth/jwt/jwks-cache.js';
import { JwtVerifier } from '../../src/auth/jwt/jwt-verifier.js';
import { UnauthenticatedError } from '../../src/common/errors/domain-error.js';
import { assembleToken, signToken, signWithSecret, withPayload } from '../support/forge-token.js';
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.js';
import { ManualClock } from '../support/manual-clock.js';

const audience = 'https://api.example.com';
const now = Math.floor(Date.now() / 1000);

let idp: IdentityProvider;
let attacker: GenerateKeyPairResult;
let listener: Server;
let listenerUrl: string;
let connections = 0;
let clock: ManualClock;
let verifier: JwtVerifier;

beforeAll(async () => {
  idp = await startIdentityProvider({
    audience,
    clients: [{ clientId: 'ana', clientSecret: 's3cret', claims: { email: 'ana@example.com', groups: ['leads'] } }],
  });
  attacker = await generateKeyPair('RS256', { extractable: true });
  const attackerJwks = { keys: [{ ...(await exportJWK(attacker.publicKey)), kid: 'attacker', alg: 'RS256' }] };
  listener = createServer((_request, response) => response.end(JSON.stringify(attackerJwks)));
  listener.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  listenerUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/keys`;
});

afterAll(async () => {
  await idp.stop();
  await new Promise((resolve) => listener.close(resolve));
});

beforeEach(() => {
  clock = new ManualClock(new Date(now * 1000));
  verifier = new JwtVerifier({
    issuer: idp.issuer,
    audience,
    jwks: new JwksCache({ issuer: idp.issuer, jwksUrl: idp.jwksUrl, clock }),
    clock,
  });
});

type Change = Record<string, unknown>;
const header = (change: Change = {}) => ({ alg: 'RS256', typ: 'at+jwt', kid: idp.signingKey.kid, ...change });
const payload = (change: Change = {}) => ({
  iss: idp.issuer,
  aud: audience,
  sub: 'ana',
  iat: now,
  exp: now + 3600,
  ...change,
});
/** Signed with the right key, so that nothing but the change can be the reason of a refusal. */
const signed = (claims: Change = {}, headers: Change = {}) =>
  signToken(header(headers), payload(claims), idp.signingKey.privateKey);
const signedByAttacker = (headers: Change = {}) => signToken(header(headers), payload(), attacker.privateKey);

describe('a good token', () => {
  it('of the provider says who is calling until when', async () => {
    const verified = await verifier.verify(await idp.token('ana'));

    expect(verified).toMatchObject({
      issuer: idp.issuer,
      subject: 'ana',
      claims: { email: 'ana@example.com', groups: ['leads'] },
    });
    expect(verified.expiresAt.getTime()).toBeCloseTo((now + 3600) * 1000, -5);
  });

  it.each<[string, Change]>([
    ['is accepted as forged by these tests without a fault', {}],
    ['is accepted when the audience is one of several', { aud: ['other', audience] }],
    ['is accepted in the last second of the leeway after its expiry', { exp: now - 29 }],
    ['is accepted with nbf at the end of the leeway', { nbf: now + 30 }],
    ['is accepted with iat at the end of the leeway', { iat: now + 30 }],
    ['is accepted without iat', { iat: undefined }],
    ['is accepted with a subject of 255 characters', { sub: 's'.repeat(255) }],
  ])('%s', async (_sentence, claims) => {
    await expect(verifier.verify(await signed(claims))).resolves.toMatchObject({ issuer: idp.issuer });
  });

  it('is accepted without a key id', async () => {
    await expect(verifier.verify(await signed({}, { kid: undefined }))).resolves.toMatchObject({ subject: 'ana' });
  });

  it.each('RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' '))(
    'is accepted when signed with %s',
    async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg);
      const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg }];
      const fetchStub = () => Promise.resolve(Response.json({ keys }));
      const jwks = new JwksCache({ issuer: idp.issuer, jwksUrl: idp.jwksUrl, clock, fetch: fetchStub });
      const token = await signToken({ alg, kid: 'k' }, payload(), privateKey);

      const verified = new JwtVerifier({ issuer: idp.issuer, audience, jwks, clock }).verify(token);
      await expect(verified).resolves.toMatchObject({ subject: 'ana' });
    },
  );

  it('is verified once and remembered until it expires', async () => {
    const token = await signed({ exp: now + 100 });
    const first = await verifier.verify(token);

    clock.advance(129_999);
    await expect(verifier.verify(token)).resolves.toBe(first);
    clock.advance(1);
    await expect(verifier.verify(token)).rejects.toThrow(UnauthenticatedError);
  });
});

describe('a bad token is refused:', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['alg none', () => assembleToken(header({ alg: 'none' }), payload(), '')],
    ['alg nOnE', () => assembleToken(header({ alg: 'nOnE' }), payload(), '')],
    ['alg none without a key id', () => assembleToken({ alg: 'none' }, payload(), '')],
    ['an empty signature', () => assembleToken(header(), payload(), '')],
    ['no alg', () => assembleToken({ kid: idp.signingKey.kid }, payload(), 'AAAA')],
    ['alg as a list', () => assembleToken(header({ alg: ['RS256'] }), payload(), 'AAAA')],
    ['HS256 with the public PEM as secret', async () => hs256(await exportSPKI(idp.signingKey.publicKey))],
    ['HS256 with the trimmed PEM as secret', async () => hs256((await exportSPKI(idp.signingKey.publicKey)).trim())],
    ['HS256 with the public DER as secret', async () => hs256(await publicDer())],
    ['HS256 with the public JWK as secret', () => hs256(JSON.stringify(idp.signingKey.publicJwk))],
    ['HS256 with the modulus as secret', () => hs256(Buffer.from(idp.signingKey.publicJwk.n ?? '', 'base64url'))],
    ['HS256 with an empty secret', () => hs256('')],
    ['another algorithm than the key has', () => assembleToken(header({ alg: 'PS256' }), payload(), 'A'.repeat(342))],
    ['the key of an attacker under the good key id', () => signedByAttacker()],
    ['the key of an attacker without a key id', () => signedByAttacker({ kid: undefined })],
    ['an unknown key id', () => signedByAttacker({ kid: 'attacker' })],
    ['a key id that is a path', () => signedByAttacker({ kid: '../../dev/null' })],
    ['a key id from the prototype', () => signedByAttacker({ kid: '__proto__' })],
    ['a tampered payload', async () => withPayload(await idp.token('ana'), { sub: 'boss' })],
    ['the signature of another token', async () => swapSignature(await signed(), await signed({ sub: 'boss' }))],
    ['another issuer', () => signed({ iss: 'https://evil.example.com' })],
    ['the issuer with a trailing slash', () => signed({ iss: `${idp.issuer}/` })],
    ['the issuer in a list', () => signed({ iss: [idp.issuer] })],
    ['no issuer', () => signed({ iss: undefined })],
    ['another audience', () => signed({ aud: 'https://other.example.com' })],
    ['an audience that only begins like ours', () => signed({ aud: `${audience}/v2` })],
    ['a list of audiences without us', () => signed({ aud: ['https://other.example.com', 'ana'] })],
    ['no audience', () => signed({ aud: undefined })],
    ['an ID token, made for the client', () => signed({ aud: 'ana', nonce: 'n', auth_time: now }, { typ: 'JWT' })],
    ['expired at the very end of the leeway', () => signed({ exp: now - 30 })],
    ['expired one second beyond the leeway', () => signed({ exp: now - 31 })],
    ['no exp', () => signed({ exp: undefined })],
    ['exp as a string', () => signed({ exp: String(now + 3600) })],
    ['exp as null', () => signed({ exp: null })],
    ['exp beyond all dates', () => signed({ exp: 1e30 })],
    ['nbf beyond the leeway', () => signed({ nbf: now + 31 })],
    ['nbf as a string', () => signed({ nbf: String(now) })],
    ['iat beyond the leeway', () => signed({ iat: now + 31 })],
    ['iat as a string', () => signed({ iat: String(now) })],
    ['no subject', () => signed({ sub: undefined })],
    ['an empty subject', () => signed({ sub: '' })],
    ['a numeric subject', () => signed({ sub: 7 })],
    ['a subject of 256 characters', () => signed({ sub: 's'.repeat(256) })],
    ['a subject with NUL', () => signed({ sub: 'ana\0' })],
    ['a subject with half a surrogate pair', () => signed({ sub: 'ana\ud800' })],
    [
      'a critical extension nobody knows',
      () => assembleToken(header({ crit: ['exotic'], exotic: 1 }), payload(), 'AA'),
    ],
    ['a token of 17 KiB', () => signed({ padding: 'x'.repeat(13 * 1024) })],
    ['a payload that is no object', () => assembleToken(header(), [] as never, 'AAAA')],
    ['a.b.c', () => 'a.b.c'],
    ['nothing', () => ''],
    ['two dots', () => '..'],
    ['a header that is no JSON', () => 'bm90IGpzb24.e30.AAAA'],
    ['five parts, as if encrypted', () => 'e30.e30.e30.e30.e30'],
    ['a token followed by a newline', async () => `${await signed()}\n`],
    ['letters outside of ASCII', () => 'ключ.ключ.ключ'],
  ])('%s', async (_reason, forge) => {
    await expect(verifier.verify(await forge())).rejects.toThrow(UnauthenticatedError);
  });

  it.each<[string, () => Change | Promise<Change>]>([
    ['an embedded jwk', async () => ({ jwk: await exportJWK(attacker.publicKey) })],
    ['an embedded jwk without a key id', async () => ({ jwk: await exportJWK(attacker.publicKey), kid: undefined })],
    ['a jku', () => ({ jku: listenerUrl, kid: 'attacker' })],
    ['a jku under the good key id', () => ({ jku: listenerUrl })],
    ['an x5u', () => ({ x5u: listenerUrl, kid: 'attacker' })],
  ])('%s, and nobody is asked for the key it names', async (_reason, headers) => {
    const token = await signedByAttacker(await headers());

    await expect(verifier.verify(token)).rejects.toThrow(UnauthenticatedError);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(connections).toBe(0);
  });

  it('a 17 KiB token for its length alone, while 15 KiB pass', async () => {
    const long = await signed({ padding: 'x'.repeat(11 * 1024) });
    expect(long.length).toBeGreaterThan(15 * 1024);
    await expect(verifier.verify(long)).resolves.toMatchObject({ subject: 'ana' });
  });

  it('garbage does not even cause a look at the keys', async () => {
    const before = idp.fetchCount;
    await Promise.allSettled(['', 'a.b.c', hs256('x')].map((token) => verifier.verify(token)));
    expect(idp.fetchCount).toBe(before);
  });

  it('with the answer of RFC 6750', async () => {
    await expect(verifier.verify('a.b.c')).rejects.toMatchObject({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
  });
});

function hs256(secret: string | Buffer): string {
  return signWithSecret(header({ alg: 'HS256' }), payload(), secret);
}

async function publicDer(): Promise<Buffer> {
  return Buffer.from(await crypto.subtle.exportKey('spki', idp.signingKey.publicKey));
}

function swapSignature(token: string, other: string): string {
  return token.slice(0, token.lastIndexOf('.')) + other.slice(other.lastIndexOf('.'));
}
