import type { JSONWebKeySet, JWK } from 'jose';

export interface JwksSource {
  issuer: string;
  /** null: taken from the issuer's discovery document. */
  jwksUrl: string | null;
  fetch: typeof fetch;
}

const EXCHANGE_TIMEOUT_MS = 2_500;
const MAX_BODY_BYTES = 1024 * 1024;

/** Fetches the issuer's key set. One timeout covers discovery and download; each body is bounded in size. */
export async function fetchJwks(source: JwksSource): Promise<JSONWebKeySet> {
  const exchange = new AbortController();
  const timeout = setTimeout(
    () => exchange.abort(new Error('The identity provider took too long.')),
    EXCHANGE_TIMEOUT_MS,
  );
  try {
    const url = source.jwksUrl ?? (await discoverJwksUrl(source, exchange.signal));
    const document = await getJson(url, source.fetch, exchange.signal);
    const keys = document['keys'];
    if (!Array.isArray(keys) || keys.length === 0) throw new Error('The JWKS has no keys.');
    return { keys: keys as JWK[] };
  } finally {
    clearTimeout(timeout);
    // Frees the connection of a body that was not read to its end.
    exchange.abort();
  }
}

async function discoverJwksUrl(source: JwksSource, signal: AbortSignal): Promise<string> {
  const base = source.issuer.endsWith('/') ? source.issuer.slice(0, -1) : source.issuer;
  const document = await getJson(`${base}/.well-known/openid-configuration`, source.fetch, signal);
  if (document['issuer'] !== source.issuer) throw new Error('The discovery document belongs to another issuer.');
  const url = document['jwks_uri'];
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) {
    throw new Error('The jwks_uri of the discovery document is not an http(s) address.');
  }
  return url;
}

async function getJson(url: string, get: typeof fetch, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await get(url, { redirect: 'manual', signal, headers: { accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`The identity provider answered with status ${response.status}.`);
  const document: unknown = JSON.parse(await readBounded(response));
  if (typeof document !== 'object' || document === null) throw new Error('The identity provider sent no JSON object.');
  return document as Record<string, unknown>;
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new Error('The answer of the identity provider is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
