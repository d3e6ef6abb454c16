import { realpathSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose';
import type { Provider } from 'oidc-provider';

/**
 * A real OpenID provider whose clients stand for users. Tests start it in their process; as a program it serves the
 * `sso` profile of the compose file (PORT, ISSUER and AUDIENCE in the environment).
 */
export interface IdentityProviderOptions {
  audience: string;
  /** Default: its own address. */
  issuer?: string;
  port?: number;
  host?: string;
  alg?: 'RS256' | 'ES256';
  tokenTtlSeconds?: number;
  clients: IdentityProviderClient[];
  /** Where people sign in with a browser: by the id of a client above, and any password. */
  consoles?: IdentityProviderConsole[];
}

export interface IdentityProviderConsole {
  clientId: string;
  /** Default: a public client. */
  clientSecret?: string;
  redirectUri: string;
}

export interface IdentityProviderClient {
  clientId: string;
  clientSecret: string;
  /** Added to every token of this client (`sub` defaults to the client id). */
  claims: Record<string, unknown>;
}

export interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  publicJwk: JWK;
}

/** Of discovery and JWKS; the token endpoint always works. */
export type Behaviour = 'normal' | 'down' | 'hang' | 'html' | 'huge' | 'redirect';

export class IdentityProvider {
  issuer = '';
  jwksUrl = '';
  fetchCount = 0;
  followedRedirects = 0;

  private readonly server = createServer((request, response) => this.answer(request, response));
  private readonly keys: (SigningKey & { privateJwk: JWK })[] = [];
  private behaviour: Behaviour = 'normal';
  private baseUrl = '';
  private handle: ReturnType<Provider['callback']>;

  private readonly options: IdentityProviderOptions;

  // Not a parameter property: Node runs this file by stripping types.
  constructor(options: IdentityProviderOptions) {
    this.options = options;
  }

  async start(): Promise<this> {
    const { port = 0, host = '127.0.0.1' } = this.options;
    if (port !== 0) await this.prepare(port); // a client that waits for the port is answered from the first moment
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(port, host, resolve);
    });
    if (port === 0) await this.prepare((this.server.address() as AddressInfo).port);
    return this;
  }

  private async prepare(port: number): Promise<void> {
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.issuer = this.options.issuer ?? this.baseUrl;
    this.jwksUrl = `${this.baseUrl}/jwks`;
    await this.rotate();
  }

  get signingKey(): SigningKey {
    const newest = this.keys.at(-1);
    if (!newest) throw new Error('The identity provider has not been started.');
    return newest;
  }

  async token(clientId: string): Promise<string> {
    const client = this.options.clients.find((candidate) => candidate.clientId === clientId);
    if (!client) throw new Error(`There is no client "${clientId}".`);
    const response = await fetch(`${this.baseUrl}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const body = (await response.json()) as { access_token?: string };
    if (!body.access_token) throw new Error(`No token for "${clientId}": ${JSON.stringify(body)}`);
    return body.access_token;
  }

  /** The older keys stay published. */
  async rotate(): Promise<void> {
    const alg = this.options.alg ?? 'RS256';
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const publicJwk: JWK = { ...(await exportJWK(publicKey)), alg, use: 'sig' };
    const kid = await calculateJwkThumbprint(publicJwk);
    const privateJwk = { ...(await exportJWK(privateKey)), alg, use: 'sig', kid };
    this.keys.push({ kid, alg, privateKey, publicKey, publicJwk: { ...publicJwk, kid }, privateJwk });
    await this.publishKeys();
  }

  /** Removes all keys but the signing one from the JWKS. */
  async retireOldKeys(): Promise<void> {
    this.keys.splice(0, this.keys.length - 1);
    await this.publishKeys();
  }

  setBehaviour(behaviour: Behaviour): void {
    this.behaviour = behaviour;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async publishKeys(): Promise<void> {
    const provider = await createProvider(this.options, this.issuer, this.signingKey, {
      keys: this.keys.map((key) => key.privateJwk),
    });
    this.handle = provider.callback();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path === '/jwks') this.fetchCount += 1;
    if (path.startsWith('/moved/')) {
      this.followedRedirects += 1;
      request.url = path.slice('/moved'.length);
    } else if (path === '/jwks' || path === '/.well-known/openid-configuration') {
      switch (this.behaviour) {
        case 'down':
          return void request.socket.destroy();
        case 'hang':
          return;
        case 'html':
          return void response.setHeader('content-type', 'text/html').end('<!doctype html><title>Maintenance</title>');
        case 'redirect':
          return void response.writeHead(302, { location: `${this.baseUrl}/moved${path}` }).end();
        case 'huge':
          return void response.setHeader('content-type', 'application/json').end(this.hugeDocument());
        case 'normal':
      }
    }
    void this.handle(request, response);
  }

  /** Valid but for its size, as discovery document and as JWKS. */
  private hugeDocument(): string {
    return JSON.stringify({
      issuer: this.issuer,
      jwks_uri: this.jwksUrl,
      keys: this.keys.map((key) => key.publicJwk),
      padding: 'x'.repeat(10 * 1024 * 1024),
    });
  }
}

export function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  return new IdentityProvider(options).start();
}

async function createProvider(
  { audience, clients, consoles = [], tokenTtlSeconds = 3600 }: IdentityProviderOptions,
  issuer: string,
  { alg, kid }: SigningKey,
  jwks: { keys: JWK[] },
): Promise<Provider> {
  const { Provider } = await quietly(() => import('oidc-provider'));
  const configuration = {
    jwks,
    ttl: {
      ClientCredentials: tokenTtlSeconds,
      ...{ AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    },
    cookies: { keys: ['not a secret'] },
    clients: [
      ...clients.map((client) => ({
        client_id: client.clientId,
        client_secret: client.clientSecret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: alg,
      })),
      ...consoles.map(({ clientId, clientSecret, redirectUri }) => ({
        client_id: clientId,
        client_secret: clientSecret,
        token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
        grant_types: ['authorization_code'],
        redirect_uris: [redirectUri],
        response_types: ['code'],
        id_token_signed_response_alg: alg,
      })),
    ],
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => {
      const person = clients.find(({ clientId }) => clientId === id);
      return person && { accountId: id, claims: () => ({ ...person.claims, sub: id }) };
    },
    claims: {
      openid: ['sub', 'org_id', 'role'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name'],
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: consoles.length > 0 },
      resourceIndicators: {
        enabled: true,
        // A resource has to be an absolute URI, an audience does not. A console asks about the person only.
        defaultResource: (_context: unknown, { clientId }: { clientId: string }) =>
          consoles.some((each) => each.clientId === clientId) ? undefined : 'urn:agent-platform:api',
        getResourceServerInfo: () => ({
          scope: '',
          audience,
          accessTokenTTL: tokenTtlSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg, kid } },
        }),
      },
    },
    formats: {
      customizers: {
        jwt: (_context: unknown, token: { clientId: string }, jwt: { payload: Record<string, unknown> }) => {
          Object.assign(jwt.payload, clients.find((client) => client.clientId === token.clientId)?.claims);
        },
      },
    },
  };
  return quietly(() => Promise.resolve(new Provider(issuer, configuration)));
}

/** Without warnings about the version of Node, and that this is nothing for production. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { warn, info } = console;
  console.warn = console.info = () => undefined;
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}

async function main(): Promise<void> {
  const port = Number(process.env['PORT'] ?? 9000);
  const person = (name: string, givenName: string, familyName: string, role: string): IdentityProviderClient => ({
    clientId: name,
    clientSecret: `${name}-secret`,
    claims: {
      email: `${name}@example.com`,
      email_verified: true,
      given_name: givenName,
      family_name: familyName,
      role,
    },
  });
  const provider = await startIdentityProvider({
    host: '0.0.0.0',
    port,
    issuer: process.env['ISSUER'] ?? `http://localhost:${port}`,
    audience: process.env['AUDIENCE'] ?? 'agent-platform',
    clients: [
      person('alice', 'Alice', 'Owner', 'owner'),
      person('mona', 'Mona', 'Manager', 'manager'),
      person('bob', 'Bob', 'Member', 'member'),
    ],
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void provider.stop());
  console.log(`Identity provider ${provider.issuer} is listening on port ${port}. It has the users alice (owner),`);
  console.log('mona (manager) and bob (member); the secret of each is "<name>-secret". A token for alice:');
  console.log(`  curl -s -u alice:alice-secret -d grant_type=client_credentials http://localhost:${port}/token`);
}

const startedFile = process.argv[1];
if (startedFile && realpathSync(startedFile) === fileURLToPath(import.meta.url)) await main();
