import { resolve } from 'node:path';
import { Role } from '../common/access/role.enum.js';
import { LOG_FORMATS, LOG_LEVELS, type LogOptions } from '../common/logging/log-options.js';
import { UtcDay } from '../common/time/utc-day.js';
import { isApiKey } from '../common/access/api-key-format.js';
import { readPriceList } from '../prices/price-files.js';
import type { PriceList } from '../prices/price-list.js';
import { EnvReader } from './env-reader.js';
import { BUILT_IN_PRICE_BOOK, type PriceBookConfig, readPriceBook } from './price-book.js';

export interface DatabaseConfig {
  /** The owner's connection; null: the embedded Postgres under `dataDir`. */
  readonly url: string | null;
  /** The request role's own login; null: the owner's connection with the start-up option `-c role=…`. */
  readonly appUrl: string | null;
  /** A connection past PgBouncer, for LISTEN and migrations; null: `url`. */
  readonly directUrl: string | null;
  /** The request role; null: named after the database. */
  readonly appRole: string | null;
  readonly poolSize: number;
  /** See `silence-limits.ts`. */
  readonly silenceSeconds: number;
}

export interface JwtConfig {
  readonly issuer: string;
  readonly audience: string;
  /** null: discovered from the issuer. */
  readonly jwksUrl: string | null;
  readonly orgClaim: string;
  readonly defaultOrg: string | null;
  readonly emailClaim: string;
  readonly trustEmail: boolean;
  readonly roleClaim: string;
  /** null: the provider's roles have the names of ours. */
  readonly roleMap: Readonly<Record<string, Role>> | null;
  /** null: tokens say nothing about teams. */
  readonly teamClaim: string | null;
}

/** How a browser signs in at the identity provider of `JwtConfig`. */
export interface OidcConfig {
  readonly clientId: string;
  /** null: a public client, which PKCE alone protects. */
  readonly clientSecret: string | null;
  readonly scopes: string;
}

export interface ConsoleConfig {
  /** null: nobody signs in to the console through SSO. */
  readonly oidc: OidcConfig | null;
  /** Sign-ins over plain HTTP beyond this machine. */
  readonly allowHttp: boolean;
}

export interface BootstrapConfig {
  readonly orgName: string;
  readonly ownerEmail: string;
  /** null: a key is made and printed once. */
  readonly apiKey: string | null;
}

export interface HttpConfig {
  readonly host: string;
  readonly port: number;
  /** How the service is reached from outside, without a trailing slash. */
  readonly publicUrl: string;
  readonly metricsPort: number | null;
  readonly rateLimitPerMinute: number;
  /** Different credentials from one address that may be refused. */
  readonly maxRefusedPerMinute: number;
  /** Event streams and sockets in this process. */
  readonly maxStreamsPerUser: number;
  /** false, or which proxies' X-Forwarded-* headers count: a number of hops or a list of addresses. */
  readonly trustProxy: boolean | number | string;
  readonly corsOrigins: readonly string[];
  readonly requestTimeoutSeconds: number;
}

export interface AnalyticsConfig {
  readonly firstDay: UtcDay;
  readonly aggregationCron: string;
  readonly eventRetentionDays: number;
  /** Distinct names of each kind per organization; further ones count as `(other)`. */
  readonly maxNamesPerDay: number;
  /** Billable tokens of models. */
  readonly priceBook: PriceBookConfig;
  /** Prices in money, without those of organizations. */
  readonly priceList: PriceList;
}

/** Limits for one user or one session. */
export interface BoundsConfig {
  readonly maxApiKeysPerUser: number;
  readonly maxComputersPerUser: number;
  /** Messages of one session that wait for an answer. */
  readonly maxQueuedTurns: number;
}

const SECRETS_KEY_FORMAT = '32 random bytes in base64 or hex (for example from `openssl rand -base64 32`)';
const HTTP = ['http:', 'https:'] as const;
const POSTGRES = ['postgres:', 'postgresql:'] as const;

/** Everything that is read from the environment, once at start. */
export class AppConfig {
  private constructor(
    readonly http: HttpConfig,
    readonly database: DatabaseConfig,
    readonly dataDir: string,
    /** 32 bytes that encrypt stored secrets; null: generated once in `dataDir`. */
    readonly secretsKey: Buffer | null,
    /** Older keys, for decryption only. */
    readonly previousSecretsKeys: readonly Buffer[],
    readonly bootstrap: BootstrapConfig,
    /** null: no SSO. */
    readonly jwt: JwtConfig | null,
    readonly console: ConsoleConfig,
    readonly analytics: AnalyticsConfig,
    /** How long a turn stays with an agent that sends no heartbeat. */
    readonly turnLeaseSeconds: number,
    readonly log: LogOptions,
    readonly bounds: BoundsConfig,
  ) {}

  static fromEnv(env: NodeJS.ProcessEnv): AppConfig {
    const reader = new EnvReader(env);
    const database = readDatabase(reader);
    const config = new AppConfig(
      readHttp(reader),
      database,
      resolve(reader.text('DATA_DIR') ?? '.data'),
      readSecretsKey(reader, database),
      readPreviousSecretsKeys(reader),
      readBootstrap(reader),
      readJwt(reader),
      readConsole(reader),
      readAnalytics(reader),
      reader.integer('TURN_LEASE_SECONDS', 1, 3600) ?? 30,
      {
        level: reader.oneOf('LOG_LEVEL', LOG_LEVELS) ?? 'info',
        format: reader.oneOf('LOG_FORMAT', LOG_FORMATS) ?? 'auto',
      },
      readBounds(reader),
    );
    reader.finish();
    return config;
  }
}

function readBounds(reader: EnvReader): BoundsConfig {
  return {
    maxApiKeysPerUser: reader.integer('MAX_API_KEYS_PER_USER', 1, 1_000_000) ?? 100,
    maxComputersPerUser: reader.integer('MAX_COMPUTERS_PER_USER', 1, 1_000_000) ?? 200,
    maxQueuedTurns: reader.integer('MAX_QUEUED_TURNS', 1, 1_000_000) ?? 1_000,
  };
}

function readHttp(reader: EnvReader): HttpConfig {
  const host = reader.text('HOST') ?? '127.0.0.1';
  const port = reader.integer('PORT', 0, 65_535) ?? 3000;
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const origin = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
  return {
    host,
    port,
    publicUrl: (reader.url('PUBLIC_URL', HTTP) ?? origin).replace(/\/+$/, ''),
    metricsPort: reader.integer('METRICS_PORT', 0, 65_535),
    rateLimitPerMinute: reader.integer('RATE_LIMIT_PER_MINUTE', 1, 1_000_000_000) ?? 6000,
    maxRefusedPerMinute: reader.integer('MAX_REFUSED_PER_MINUTE', 1, 1_000_000) ?? 100,
    maxStreamsPerUser: reader.integer('MAX_STREAMS_PER_USER', 1, 1_000_000) ?? 50,
    trustProxy: reader.parsed('TRUST_PROXY', 'false, a number of hops, or a list of addresses', trustProxy) ?? false,
    corsOrigins: readOrigins(reader),
    requestTimeoutSeconds: reader.integer('REQUEST_TIMEOUT_SECONDS', 1, 3600) ?? 30,
  };
}

function trustProxy(value: string): boolean | number | string | null {
  if (value === 'false') return false;
  // `true` would trust any client's X-Forwarded-For, on which rate limits and network policies depend.
  if (value === 'true') return null;
  if (/^\d+$/.test(value)) return Number(value);
  return /^[0-9a-fA-F.:/, ]+$|^(loopback|linklocal|uniquelocal)([, ]|$)/.test(value) ? value : null;
}

function readOrigins(reader: EnvReader): string[] {
  const origins = reader.list('CORS_ORIGINS');
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      reader.problem('CORS_ORIGINS', `must list origins such as https://app.example.com, but has "${origin}"`);
    }
  }
  return origins;
}

function readDatabase(reader: EnvReader): DatabaseConfig {
  const url = reader.url('DATABASE_URL', POSTGRES);
  const appUrl = reader.url('DATABASE_APP_URL', POSTGRES);
  const directUrl = reader.url('DATABASE_DIRECT_URL', POSTGRES);
  const appRole = reader.parsed('DATABASE_APP_ROLE', 'a role name of 1 to 63 letters, digits or _', (value) =>
    /^[a-z_][a-z0-9_]{0,62}$/.test(value) ? value : null,
  );
  if (reader.text('DATABASE_URL') === null) {
    if (appUrl) reader.problem('DATABASE_APP_URL', 'needs DATABASE_URL beside it');
    if (directUrl) reader.problem('DATABASE_DIRECT_URL', 'needs DATABASE_URL beside it');
  }
  return {
    url,
    appUrl,
    directUrl,
    appRole,
    poolSize: reader.integer('DATABASE_POOL_SIZE', 1, 1000) ?? 10,
    silenceSeconds: reader.integer('DATABASE_SILENCE_SECONDS', 3, 600) ?? 30,
  };
}

function readSecretsKey(reader: EnvReader, database: DatabaseConfig): Buffer | null {
  if (database.url !== null && reader.text('SECRETS_KEY') === null) {
    reader.problem('SECRETS_KEY', `is required with DATABASE_URL: ${SECRETS_KEY_FORMAT}`);
  }
  return reader.parsed('SECRETS_KEY', SECRETS_KEY_FORMAT, parseSecretsKey);
}

function readPreviousSecretsKeys(reader: EnvReader): Buffer[] {
  const keys = reader.list('SECRETS_KEY_PREVIOUS').map(parseSecretsKey);
  if (keys.includes(null)) reader.problem('SECRETS_KEY_PREVIOUS', `must list keys, each ${SECRETS_KEY_FORMAT}`);
  return keys.filter((key) => key !== null);
}

function parseSecretsKey(value: string): Buffer | null {
  const bytes = /^[0-9a-fA-F]{64}$/.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64');
  return bytes.length === 32 ? bytes : null;
}

function readBootstrap(reader: EnvReader): BootstrapConfig {
  return {
    orgName: reader.text('BOOTSTRAP_ORG_NAME') ?? 'My organization',
    ownerEmail:
      reader.parsed('BOOTSTRAP_OWNER_EMAIL', 'an e-mail address', (value) =>
        /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? value : null,
      ) ?? 'owner@example.com',
    apiKey: reader.parsed('BOOTSTRAP_API_KEY', 'an API key in the format of this service (apk_…)', (value) =>
      isApiKey(value) ? value : null,
    ),
  };
}

function readJwt(reader: EnvReader): JwtConfig | null {
  const issuer = reader.url('JWT_ISSUER', HTTP);
  const audience = reader.text('JWT_AUDIENCE');
  const jwt = {
    audience: audience ?? '',
    jwksUrl: reader.url('JWT_JWKS_URL', HTTP),
    orgClaim: reader.text('JWT_ORG_CLAIM') ?? 'org_id',
    defaultOrg: reader.text('JWT_DEFAULT_ORG'),
    emailClaim: reader.text('JWT_EMAIL_CLAIM') ?? 'email',
    trustEmail: reader.boolean('JWT_TRUST_EMAIL') ?? false,
    roleClaim: reader.text('JWT_ROLE_CLAIM') ?? 'role',
    roleMap: reader.parsed('JWT_ROLE_MAP', 'JSON such as {"platform-admins": "owner"}', parseRoleMap),
    teamClaim: reader.text('JWT_TEAM_CLAIM'),
  };
  if (reader.text('JWT_ISSUER') === null) {
    if (audience) reader.problem('JWT_AUDIENCE', 'needs JWT_ISSUER beside it');
    return null;
  }
  if (!audience) reader.problem('JWT_AUDIENCE', 'is required with JWT_ISSUER: the value of `aud` in the tokens');
  return { issuer: issuer ?? '', ...jwt };
}

function readConsole(reader: EnvReader): ConsoleConfig {
  const clientId = reader.text('OIDC_CLIENT_ID');
  const clientSecret = reader.text('OIDC_CLIENT_SECRET');
  const scopes =
    reader.parsed('OIDC_SCOPES', 'a list of scopes, separated by spaces, with openid among them', (value) =>
      value.split(' ').includes('openid') ? value : null,
    ) ?? 'openid email profile';
  if (clientId !== null && reader.text('JWT_ISSUER') === null) {
    reader.problem('OIDC_CLIENT_ID', 'needs JWT_ISSUER beside it');
  }
  if (clientSecret !== null && clientId === null) {
    reader.problem('OIDC_CLIENT_SECRET', 'needs OIDC_CLIENT_ID beside it');
  }
  return {
    oidc: clientId === null ? null : { clientId, clientSecret, scopes },
    allowHttp: reader.boolean('CONSOLE_ALLOW_HTTP') ?? false,
  };
}

function parseRoleMap(value: string): Record<string, Role> | null {
  try {
    const map: unknown = JSON.parse(value);
    if (typeof map !== 'object' || map === null || Array.isArray(map)) return null;
    const entries = Object.entries(map) as [string, Role][];
    return entries.every(([, role]) => Object.values(Role).includes(role)) ? Object.fromEntries(entries) : null;
  } catch {
    return null;
  }
}

function readAnalytics(reader: EnvReader): AnalyticsConfig {
  return {
    firstDay:
      reader.parsed('ANALYTICS_FIRST_DAY', 'a day written YYYY-MM-DD', (value) => UtcDay.tryParse(value)) ??
      UtcDay.of(new Date('2026-01-14')),
    aggregationCron:
      reader.parsed('AGGREGATION_CRON', 'a cron expression of five or six fields', (value) =>
        /^(\S+\s+){4,5}\S+$/.test(value) ? value : null,
      ) ?? '5 0 * * *',
    eventRetentionDays: reader.integer('EVENT_RETENTION_DAYS', 1, 36_500) ?? 400,
    maxNamesPerDay: reader.integer('MAX_NAMES_PER_DAY', 1, 100_000) ?? 5_000,
    priceBook: readPriceBookOf(reader),
    priceList: readPriceListOf(reader),
  };
}

function readPriceBookOf(reader: EnvReader): PriceBookConfig {
  return readFileOf(reader, 'PRICE_BOOK', (file) => (file === null ? BUILT_IN_PRICE_BOOK : readPriceBook(file)));
}

function readPriceListOf(reader: EnvReader): PriceList {
  return readFileOf(reader, 'PRICE_LIST', readPriceList);
}

/** Reports a file that cannot be used, and goes on as if there were none. */
function readFileOf<T>(reader: EnvReader, name: string, read: (file: string | null) => T): T {
  try {
    return read(reader.text(name));
  } catch (error) {
    reader.problem(name, `cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    return read(null);
  }
}
