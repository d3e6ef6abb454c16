import { JwksCache } from '../../src/auth/jwt/jwks-cache.js';
import { JwtVerifier } from '../../src/auth/jwt/jwt-verifier.js';
import { UnauthenticatedError, UnavailableError } from '../../src/common/errors/domain-error.js';
import { signToken } from '../support/forge-token.js';
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.js';
import { ManualClock } from '../support/manual-clock.js';

const audience = 'agent-platform';
const second = 1000;
const hour = 3600 * second;

let idp: IdentityProvider;
let clock: ManualClock;
let jwks: JwksCache;
let verifier: JwtVerifier;
let failures: unknown[];

beforeEach(async () => {
  idp = await startIdentityProvider({
    audience,
    alg: 'ES256',
    clients: [{ clientId: 'ana', clientSecret: 's3cret', claims: {} }],
  });
  clock = new ManualClock(new Date());
  useKeysFrom(idp.jwksUrl);
});

afterEach(() => idp.stop());

function useKeysFrom(jwksUrl: string | null, fetchStub?: typeof fetch): void {
  failures = [];
  const onFailure = (cause: unknown) => failures.push(cause);
  jwks = new JwksCache({ issuer: idp.issuer, jwksUrl, clock, fetch: fetchStub, onFailure });
  verifier = new JwtVerifier({ issuer: idp.issuer, audience, jwks, clock });
}

/** A token that outlives every test, each one different. */
function freshToken(kid = idp.signingKey.kid): Promise<string> {
  const claims = { iss: idp.issuer, aud: audience, sub: 'ana', exp: 9_999_999_999, jti: crypto.randomUUID() };
  return signToken({ alg: 'ES256', kid }, claims, idp.signingKey.privateKey);
}

async function millisecondsOf(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work.catch(() => undefined);
  return performance.now() - start;
}

async function eventually(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition() && waited < 2000; waited += 10) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(condition()).toBe(true);
}

const accepted = { subject: 'ana' };

describe('while the identity provider is up', () => {
  it('accepts real tokens and finds the keys by discovery', async () => {
    useKeysFrom(null);
    await expect(verifier.verify(await idp.token('ana'))).resolves.toMatchObject(accepted);
  });

  it('serves many first requests with one fetch', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, () => freshToken()));
    await Promise.all(tokens.map((token) => verifier.verify(token)));
    expect(idp.fetchCount).toBe(1);
  });

  it('accepts a new key on first sight when the last fetch is 10 s ago', async () => {
    const old = await idp.token('ana');
    await verifier.verify(old);
    await idp.rotate();
    clock.advance(10 * second);

    await expect(verifier.verify(await idp.token('ana'))).resolves.toMatchObject(accepted);
    await expect(verifier.verify(old)).resolves.toMatchObject(accepted);
    expect(idp.fetchCount).toBe(2);
  });

  it('does not ask for an unknown key within 10 s of the last fetch', async () => {
    await verifier.verify(await freshToken());
    await idp.rotate();
    clock.advance(10 * second - 1);

    await expect(verifier.verify(await freshToken())).rejects.toThrow(UnauthenticatedError);
    expect(idp.fetchCount).toBe(1);
  });

  it('fetches at most once more for 50 unknown keys at the same time', async () => {
    await verifier.verify(await freshToken());
    clock.advance(15 * second);
    const forged = await Promise.all(Array.from({ length: 50 }, (_, index) => freshToken(`unknown-${index}`)));

    const results = await Promise.allSettled(forged.map((token) => verifier.verify(token)));

    expect(results.every((result) => result.status === 'rejected')).toBe(true);
    expect(idp.fetchCount).toBe(2);
  });

  it.each([
    ['a token never seen', false],
    ['a token that was verified before', true],
  ])('refuses %s after 60 s when its key was removed', async (_which, seenBefore) => {
    const [token, other] = await Promise.all([freshToken(), freshToken()]);
    await verifier.verify(seenBefore ? token : await freshToken());
    await idp.rotate();
    await idp.retireOldKeys();

    clock.advance(30 * second - 1);
    await expect(verifier.verify(other)).resolves.toMatchObject(accepted);
    expect(idp.fetchCount).toBe(1);
    clock.advance(30 * second + 1);
    await expect(verifier.verify(token)).rejects.toThrow(UnauthenticatedError);
  });

  it('renews the keys in the background from 30 s on, without a wait', async () => {
    const token = await freshToken();
    const first = await verifier.verify(token);
    await idp.rotate();
    await idp.retireOldKeys();
    clock.advance(30 * second - 1);
    await verifier.verify(token);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(idp.fetchCount).toBe(1);
    clock.advance(1);

    await expect(verifier.verify(token)).resolves.toBe(first);
    await eventually(() => jwks.version === 2);
    await expect(verifier.verify(token)).rejects.toThrow(UnauthenticatedError);
    expect(idp.fetchCount).toBe(2);
  });

  it('accepts a token without a key id in the middle of a rotation', async () => {
    await idp.rotate();
    const claims = { iss: idp.issuer, aud: audience, sub: 'ana', exp: 9_999_999_999 };
    const token = await signToken({ alg: 'ES256' }, claims, idp.signingKey.privateKey);
    await expect(verifier.verify(token)).resolves.toMatchObject(accepted);
    await expect(verifier.verify(`${token.slice(0, -10)}AAAAAAAAAA`)).rejects.toThrow(UnauthenticatedError);
  });

  it('does not remember a token whose key was removed while it was being verified', async () => {
    const token = await freshToken();
    const keysFor = jwks.keysFor.bind(jwks);
    jwks.keysFor = async (kid) => {
      const keys = await keysFor(kid);
      await idp.rotate();
      await idp.retireOldKeys();
      clock.advance(60 * second);
      await jwks.freshKeys();
      return keys;
    };
    await expect(verifier.verify(token)).resolves.toMatchObject(accepted);

    jwks.keysFor = keysFor;
    await expect(verifier.verify(token)).rejects.toThrow(UnauthenticatedError);
  });

  it('counts versions by content, not by the order of the keys', async () => {
    await idp.rotate();
    const published = (await (await fetch(idp.jwksUrl)).json()) as { keys: Record<string, unknown>[] };
    const turned = published.keys.map((key) => Object.fromEntries(Object.entries(key).reverse())).reverse();
    const answers = [published, { keys: turned }, { keys: turned.slice(1) }];
    useKeysFrom(idp.jwksUrl, () => Promise.resolve(Response.json(answers.shift())));

    const versions: number[] = [];
    for (let round = 0; round < 3; round += 1, clock.advance(60 * second)) {
      versions.push((await jwks.freshKeys()).version);
    }
    expect(versions).toEqual([1, 1, 2]);
  });

  it('fetches anew when the clock was set back', async () => {
    await jwks.freshKeys();
    clock.advance(-hour);
    await jwks.freshKeys();
    expect(idp.fetchCount).toBe(2);
  });
});

describe('when the identity provider is down', () => {
  it('works on with the keys it has, for 24 h', async () => {
    const known = await freshToken();
    await verifier.verify(known);
    idp.setBehaviour('down');

    for (const wait of [60 * second, hour, 23 * hour - 60 * second - 1]) {
      clock.advance(wait);
      await expect(verifier.verify(known)).resolves.toMatchObject(accepted);
      await expect(verifier.verify(await freshToken())).resolves.toMatchObject(accepted);
    }
    clock.advance(1);
    await expect(verifier.verify(known)).rejects.toThrow(UnavailableError);
    expect(failures.length).toBeGreaterThanOrEqual(3);
  });

  it('retries at most every 10 s', async () => {
    const token = await freshToken();
    await verifier.verify(token);
    idp.setBehaviour('down');
    clock.advance(60 * second);
    await verifier.verify(token);
    expect(idp.fetchCount).toBe(2);

    clock.advance(10 * second - 1);
    await Promise.all(Array.from({ length: 20 }, () => verifier.verify(token)));
    expect(idp.fetchCount).toBe(2);
    clock.advance(1);
    await Promise.all(Array.from({ length: 20 }, () => verifier.verify(token)));
    await eventually(() => idp.fetchCount === 3);
  });

  it('lets no request wait for a hanging provider once that is known', async () => {
    const token = await freshToken();
    await verifier.verify(token);
    idp.setBehaviour('hang');
    clock.advance(60 * second);
    await expect(verifier.verify(token)).resolves.toMatchObject(accepted);

    clock.advance(10 * second);
    expect(await millisecondsOf(verifier.verify(token))).toBeLessThan(500);
    clock.advance(49 * second);
    expect(await millisecondsOf(verifier.verify(token))).toBeLessThan(500);
  });

  it('does not rely on a failure that is a minute old', async () => {
    const token = await freshToken();
    await verifier.verify(token);
    idp.setBehaviour('down');
    clock.advance(60 * second);
    await expect(verifier.verify(token)).resolves.toMatchObject(accepted);

    idp.setBehaviour('normal');
    await idp.rotate();
    await idp.retireOldKeys();
    clock.advance(60 * second);
    await expect(verifier.verify(token)).rejects.toThrow(UnauthenticatedError);
  });

  it('cannot say whether a token under an unknown key is good', async () => {
    await verifier.verify(await freshToken());
    await idp.rotate();
    const token = await freshToken();
    idp.setBehaviour('down');
    clock.advance(10 * second);
    await expect(verifier.verify(token)).rejects.toThrow(UnavailableError);

    idp.setBehaviour('normal');
    clock.advance(10 * second);
    await expect(verifier.verify(token)).resolves.toMatchObject(accepted);
  });

  it('says so at once for the next 10 s when there never were keys, then heals', async () => {
    const token = await freshToken();
    idp.setBehaviour('down');
    expect(await millisecondsOf(verifier.verify(token))).toBeLessThan(1000);
    idp.setBehaviour('normal');

    clock.advance(10 * second - 1);
    await expect(verifier.verify(token)).rejects.toMatchObject({
      code: 'unavailable',
      headers: { 'Retry-After': '10' },
    });
    expect(idp.fetchCount).toBe(1);
    clock.advance(1);
    await expect(verifier.verify(token)).resolves.toMatchObject(accepted);
  });

  it('still refuses what is no token', async () => {
    idp.setBehaviour('down');
    await expect(verifier.verify('a.b.c')).rejects.toThrow(UnauthenticatedError);
  });

  it('is unavailable within a second when nothing listens', async () => {
    const token = await freshToken();
    await idp.stop();
    const work = verifier.verify(token);
    expect(await millisecondsOf(work)).toBeLessThan(1000);
    await expect(work).rejects.toThrow(UnavailableError);
  });
});
