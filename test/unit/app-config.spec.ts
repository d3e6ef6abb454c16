import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppConfig } from '../../src/config/app-config.js';
import { ConfigError } from '../../src/config/env-reader.js';

const SECRETS_KEY = Buffer.alloc(32, 1).toString('base64');
const WITH_DATABASE = { DATABASE_URL: 'postgres://owner@db.example.com/platform', SECRETS_KEY };
const WITH_SSO = { JWT_ISSUER: 'https://sso.example.com', JWT_AUDIENCE: 'agent-platform' };

describe('the configuration', () => {
  it('has a working default for everything', () => {
    expect(AppConfig.fromEnv({})).toMatchObject({
      http: {
        host: '127.0.0.1',
        port: 3000,
        publicUrl: 'http://127.0.0.1:3000',
        metricsPort: null,
        rateLimitPerMinute: 6000,
        trustProxy: false,
        corsOrigins: [],
        requestTimeoutSeconds: 30,
      },
      database: { url: null, appUrl: null, directUrl: null, appRole: null, poolSize: 10, silenceSeconds: 30 },
      dataDir: resolve('.data'),
      secretsKey: null,
      bootstrap: { orgName: 'My organization', ownerEmail: 'owner@example.com', apiKey: null },
      jwt: null,
      analytics: {
        aggregationCron: '5 0 * * *',
        eventRetentionDays: 400,
        maxNamesPerDay: 5_000,
        priceBook: { version: 'built-in', models: new Map() },
      },
      log: { level: 'info', format: 'auto' },
    });
    expect(AppConfig.fromEnv({}).analytics.firstDay.toString()).toBe('2026-01-14');
  });

  it('takes a variable that is empty or blank for one that is not set', () => {
    const names = [...variablesRead()];
    const blank = Object.fromEntries(names.map((name, i) => [name, i % 2 === 0 ? '' : '  ']));
    expect(AppConfig.fromEnv(blank)).toEqual(AppConfig.fromEnv({}));
  });

  it('reads the SSO settings once there is an issuer', () => {
    const roleMap = { 'platform-admins': 'owner', everybody: 'guest' };
    const env = {
      ...WITH_SSO,
      JWT_ROLE_MAP: JSON.stringify(roleMap),
      JWT_TRUST_EMAIL: 'true',
      JWT_ORG_CLAIM: 'org.id',
    };
    expect(AppConfig.fromEnv(env).jwt).toEqual({
      issuer: 'https://sso.example.com',
      audience: 'agent-platform',
      jwksUrl: null,
      orgClaim: 'org.id',
      defaultOrg: null,
      emailClaim: 'email',
      trustEmail: true,
      roleClaim: 'role',
      teamClaim: null,
      roleMap,
    });
  });

  it('lets browsers sign in through SSO once there is a client', () => {
    expect(AppConfig.fromEnv(WITH_SSO).console).toEqual({ oidc: null, allowHttp: false });
    const env = { ...WITH_SSO, OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 's3cret', CONSOLE_ALLOW_HTTP: 'true' };
    expect(AppConfig.fromEnv(env).console).toEqual({
      oidc: { clientId: 'console', clientSecret: 's3cret', scopes: 'openid email profile' },
      allowHttp: true,
    });
    expect(
      AppConfig.fromEnv({ ...WITH_SSO, OIDC_CLIENT_ID: 'console', OIDC_SCOPES: 'openid groups' }).console.oidc,
    ).toEqual({
      clientId: 'console',
      clientSecret: null,
      scopes: 'openid groups',
    });
  });

  it.each([
    ['base64', Buffer.alloc(32, 7).toString('base64')],
    ['hex', Buffer.alloc(32, 7).toString('hex')],
  ])('reads the secrets key in %s', (_, key) => {
    expect(AppConfig.fromEnv({ SECRETS_KEY: key }).secretsKey).toEqual(Buffer.alloc(32, 7));
  });

  it.each([
    ['PUBLIC_URL', 'https://api.example.com/', 'https://api.example.com'],
    ['HOST', '0.0.0.0', 'http://localhost:3000'],
    ['HOST', '::1', 'http://[::1]:3000'],
    ['PORT', '8080', 'http://127.0.0.1:8080'],
  ])('with %s=%s the service is reached at %s', (name, value, publicUrl) => {
    expect(AppConfig.fromEnv({ [name]: value }).http.publicUrl).toBe(publicUrl);
  });

  it.each([
    ['false', false],
    ['2', 2],
    ['10.0.0.0/8, 127.0.0.1', '10.0.0.0/8, 127.0.0.1'],
    ['loopback', 'loopback'],
    ['loopback, uniquelocal', 'loopback, uniquelocal'],
    ['2001:db8::/32', '2001:db8::/32'],
  ])('trusts the proxies of TRUST_PROXY=%s', (value, trusted) => {
    expect(AppConfig.fromEnv({ TRUST_PROXY: value }).http.trustProxy).toBe(trusted);
  });

  it.each<[Record<string, string>, string]>([
    [{ PORT: '-1' }, 'PORT must be a whole number from 0 to 65535, but is "-1"'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535, but is "65536"'],
    [{ PORT: '0x50' }, 'PORT must be a whole number from 0 to 65535, but is "0x50"'],
    [{ PORT: '80.0' }, 'PORT must be a whole number from 0 to 65535, but is "80.0"'],
    [{ METRICS_PORT: 'yes' }, 'METRICS_PORT must be a whole number from 0 to 65535, but is "yes"'],
    [{ DATABASE_POOL_SIZE: '0' }, 'DATABASE_POOL_SIZE must be a whole number from 1 to 1000, but is "0"'],
    [{ REQUEST_TIMEOUT_SECONDS: '0' }, 'REQUEST_TIMEOUT_SECONDS must be a whole number from 1 to 3600, but is "0"'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, but is "loud"'],
    [{ LOG_FORMAT: 'JSON' }, 'LOG_FORMAT must be one of auto, pretty, json, but is "JSON"'],
    [
      { PUBLIC_URL: 'example.com' },
      'PUBLIC_URL must be a URL that starts with http:// or https://, but is "example.com"',
    ],
    [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY must be false, a number of hops, or a list of addresses, but is "true"'],
    [{ TRUST_PROXY: 'yes' }, 'TRUST_PROXY must be false, a number of hops, or a list of addresses, but is "yes"'],
    [{ TRUST_PROXY: '-1' }, 'TRUST_PROXY must be false, a number of hops, or a list of addresses, but is "-1"'],
    [{ CORS_ORIGINS: '*' }, 'CORS_ORIGINS must list origins such as https://app.example.com, but has "*"'],
    [
      { CORS_ORIGINS: 'https://a.example.com, https://b.example.com/' },
      'CORS_ORIGINS must list origins such as https://app.example.com, but has "https://b.example.com/"',
    ],
    [
      { DATABASE_URL: WITH_DATABASE.DATABASE_URL },
      'SECRETS_KEY is required with DATABASE_URL: 32 random bytes in base64 or hex (for example from `openssl rand -base64 32`)',
    ],
    [{ OIDC_CLIENT_ID: 'console' }, 'OIDC_CLIENT_ID needs JWT_ISSUER beside it'],
    [{ OIDC_CLIENT_SECRET: 'x' }, 'OIDC_CLIENT_SECRET needs OIDC_CLIENT_ID beside it'],
    [
      { ...WITH_SSO, OIDC_SCOPES: 'email' },
      'OIDC_SCOPES must be a list of scopes, separated by spaces, with openid among them, but is "email"',
    ],
    [{ CONSOLE_ALLOW_HTTP: 'yes' }, 'CONSOLE_ALLOW_HTTP must be true or false, but is "yes"'],
    [{ DATABASE_APP_URL: 'postgres://app@db/x' }, 'DATABASE_APP_URL needs DATABASE_URL beside it'],
    [{ DATABASE_DIRECT_URL: 'postgres://o@db/x' }, 'DATABASE_DIRECT_URL needs DATABASE_URL beside it'],
    [
      { DATABASE_APP_ROLE: 'app; DROP ROLE x' },
      'DATABASE_APP_ROLE must be a role name of 1 to 63 letters, digits or _, but is "app; DROP ROLE x"',
    ],
    [{ BOOTSTRAP_OWNER_EMAIL: 'ada' }, 'BOOTSTRAP_OWNER_EMAIL must be an e-mail address, but is "ada"'],
    [
      { JWT_ISSUER: 'https://sso.example.com' },
      'JWT_AUDIENCE is required with JWT_ISSUER: the value of `aud` in the tokens',
    ],
    [{ JWT_AUDIENCE: 'agent-platform' }, 'JWT_AUDIENCE needs JWT_ISSUER beside it'],
    [{ ...WITH_SSO, JWT_TRUST_EMAIL: '1' }, 'JWT_TRUST_EMAIL must be true or false, but is "1"'],
    [
      { ANALYTICS_FIRST_DAY: '2026-02-30' },
      'ANALYTICS_FIRST_DAY must be a day written YYYY-MM-DD, but is "2026-02-30"',
    ],
    [{ AGGREGATION_CRON: 'daily' }, 'AGGREGATION_CRON must be a cron expression of five or six fields, but is "daily"'],
  ])('refuses %j and says what is allowed', (env, problem) => {
    expect(problemsOf(env)).toEqual([problem]);
  });

  it.each([
    ['no JSON', 'admins=owner'],
    ['a role that does not exist', '{"admins":"root"}'],
    ['a role that is no string', '{"admins":["owner"]}'],
    ['a list', '["owner"]'],
    ['a string', '"owner"'],
    ['null', 'null'],
    ['a number', '5'],
  ])('refuses a role map that is %s', (_, map) => {
    const expected = `JWT_ROLE_MAP must be JSON such as {"platform-admins": "owner"}, but is ${JSON.stringify(map)}`;
    expect(problemsOf({ ...WITH_SSO, JWT_ROLE_MAP: map })).toEqual([expected]);
  });

  it('reports every problem at once', () => {
    const env = { PORT: 'x', LOG_LEVEL: 'x', TRUST_PROXY: 'true', DATABASE_URL: 'mysql://db/x', JWT_ISSUER: 'x' };
    const problems = problemsOf(env);
    const names = ['PORT', 'LOG_LEVEL', 'TRUST_PROXY', 'DATABASE_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'];
    expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual(names.sort());
    expect(() => AppConfig.fromEnv(env)).toThrow(
      `The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  });

  it.each([
    ['SECRETS_KEY', 'c2VjcmV0LWNhbmFyeQ=='],
    ['BOOTSTRAP_API_KEY', 'apk_canary'],
    ['DATABASE_URL', 'mysql://owner:canary@db/x'],
    ['DATABASE_APP_URL', 'mysql://app:canary@db/x'],
    ['DATABASE_DIRECT_URL', 'mysql://owner:canary@db/x'],
  ])('does not echo the value of %s', (name, value) => {
    const [problem, ...rest] = problemsOf({ ...WITH_DATABASE, [name]: value });
    expect(rest).toEqual([]);
    expect(problem).toMatch(new RegExp(`^${name} must be .*, but is something else$`));
  });

  it('does not echo a password that stands in the address of the identity provider', () => {
    const [problem] = problemsOf({ ...WITH_SSO, JWT_JWKS_URL: 'ftp://reader:canary@sso.example.com/keys' });
    expect(problem).toContain('JWT_JWKS_URL');
    expect(problem).not.toContain('canary');
  });

  it('shortens a value that is very long', () => {
    expect(problemsOf({ LOG_LEVEL: 'x'.repeat(5000) })[0]?.length).toBeLessThan(300);
  });

  it('is documented in .env.example: every variable that is read, and no other', () => {
    const example = readFileSync('.env.example', 'utf8');
    const documented = [...example.matchAll(/^#?\s*([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
    expect([...documented].sort()).toEqual([...variablesRead()].sort());
  });
});

function problemsOf(env: Record<string, string>): string[] {
  try {
    AppConfig.fromEnv(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** The names of all variables that the configuration looks at. */
function variablesRead(): Set<string> {
  const names = new Set<string>();
  const env = new Proxy<Record<string, string>>({}, { get: (_, name) => void names.add(String(name)) });
  AppConfig.fromEnv(env);
  return names;
}
