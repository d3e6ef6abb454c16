import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JwksCache } from '../../src/auth/jwt/jwks-cache.js';
import { JwtVerifier } from '../../src/auth/jwt/jwt-verifier.js';
import { UnavailableError } from '../../src/common/errors/domain-error.js';
import { signToken } from '../support/forge-token.js';
import { startIdentityProvider, type Behaviour, type IdentityProvider } from '../support/identity-provider.js';
import { ManualClock } from '../support/manual-clock.js';

const audience = 'agent-platform';
const second = 1000;

let idp: IdentityProvider;
let clock: ManualClock;
let jwks: JwksCache;
let verifier: JwtVerifier;

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
  jwks = new JwksCache({ issuer: idp.issuer, jwksUrl, clock, fetch: fetchStub });
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

function addressOf(target: Parameters<typeof fetch>[0]): string {
  return target instanceof Request ? target.url : target.toString();
}

const accepted = { subject: 'ana' };

describe.each<[Behaviour]>([['down'], ['hang'], ['html'], ['huge'], ['redirect']])('with behaviour %s', (behaviour) => {
  it.each([
    ['of the JWKS', () => idp.jwksUrl],
    ['of the discovery', () => null],
  ])('%s a first request gets "unavailable" within 3 s, and a later one heals', async (_what, url) => {
    useKeysFrom(url());
    const token = await freshToken();
    idp.setBehaviour(behaviour);

    const work = verifier.verify(token);
    expect(await millisecondsOf(work)).toBeLessThan(3000);
    await expect(work).rejects.toThrow(UnavailableError);
    expect(idp.followedRedirects).toBe(0);

    idp.setBehaviour('normal');
    clock.advance(10 * second);
    await expect(verifier.verify(token)).resolves.toMatchObject(accepted);
  });

  it('known keys serve on', async () => {
    const known = await freshToken();
    await verifier.verify(known);
    idp.setBehaviour(behaviour);
    clock.advance(60 * second);

    await expect(verifier.verify(known)).resolves.toMatchObject(accepted);
    await expect(verifier.verify(await freshToken())).resolves.toMatchObject(accepted);
    expect(idp.followedRedirects).toBe(0);
  });
});

describe('an answer of the identity provider counts as an outage', () => {
  it.each<[string, unknown]>([
    ['when it has no keys member', {}],
    ['when the keys are no list', { keys: {} }],
    ['when the list is empty', { keys: [] }],
    ['when a key is no object', { keys: ['key'] }],
    ['when it is null', null],
    ['when it is a list', []],
  ])('%s', async (_sentence, answer) => {
    useKeysFrom(idp.jwksUrl, () => Promise.resolve(Response.json(answer)));
    await expect(verifier.verify(await freshToken())).rejects.toThrow(UnavailableError);
  });

  it('when its status is not 200', async () => {
    const keys = await (await fetch(idp.jwksUrl)).json();
    useKeysFrom(idp.jwksUrl, () => Promise.resolve(Response.json(keys, { status: 203 })));
    await expect(verifier.verify(await freshToken())).rejects.toThrow(UnavailableError);
  });

  it('when it never ends, after a bounded part of it', async () => {
    let sentBytes = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      sentBytes += 64 * 1024;
      controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
    };
    useKeysFrom(idp.jwksUrl, () => Promise.resolve(new Response(new ReadableStream({ pull }))));
    await expect(verifier.verify(await freshToken())).rejects.toThrow(UnavailableError);
    expect(sentBytes).toBeLessThan(1.5 * 1024 * 1024);
  });

  it('when it trickles in too slowly, after 3 s at most', async () => {
    const trickle = createServer((_request, response) => {
      const timer = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => trickle.listen(0, '127.0.0.1', resolve));
    useKeysFrom(`http://127.0.0.1:${(trickle.address() as AddressInfo).port}/`);

    const work = verifier.verify(await freshToken());
    expect(await millisecondsOf(work)).toBeLessThan(3000);
    await expect(work).rejects.toThrow(UnavailableError);
    // Succeeds only when the client has let go of the connection.
    await new Promise((resolve) => trickle.close(resolve));
  });

  it.each<[string, Record<string, unknown>]>([
    ['when the discovery document names another issuer', { issuer: 'https://evil.example.com' }],
    ['when the discovery document has no jwks_uri', { jwks_uri: undefined }],
    ['when the jwks_uri is a file', { jwks_uri: 'file:///etc/passwd' }],
    ['when the jwks_uri carries its keys in itself', { jwks_uri: 'data:application/json,{"keys":[{"kty":"EC"}]}' }],
  ])('%s', async (_sentence, change) => {
    const document = { issuer: idp.issuer, jwks_uri: idp.jwksUrl, ...change };
    useKeysFrom(null, (url, init) =>
      addressOf(url).endsWith('openid-configuration') ? Promise.resolve(Response.json(document)) : fetch(url, init),
    );
    await expect(verifier.verify(await freshToken())).rejects.toThrow(UnavailableError);
    expect(idp.fetchCount).toBe(0);
  });
});

it.each([
  ['https://sso.example.com', 'https://sso.example.com/.well-known/openid-configuration'],
  ['https://sso.example.com/', 'https://sso.example.com/.well-known/openid-configuration'],
  ['https://sso.example.com/realms/a/', 'https://sso.example.com/realms/a/.well-known/openid-configuration'],
])('looks for the discovery document of %s at %s', async (issuer, expected) => {
  const asked: string[] = [];
  const answer = { issuer, jwks_uri: 'https://keys.example.com/', keys: [idp.signingKey.publicJwk] };
  const fetchStub: typeof fetch = (url) => {
    asked.push(addressOf(url));
    return Promise.resolve(Response.json(answer));
  };
  await new JwksCache({ issuer, jwksUrl: null, clock, fetch: fetchStub }).freshKeys();
  expect(asked).toEqual([expected, 'https://keys.example.com/']);
});
