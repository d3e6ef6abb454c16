import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { sendBytes } from '../support/raw-http.js';
import { TestApp } from '../support/test-app.js';

const SHELL =
  '<!doctype html><title>Console</title><script type="module" src="/console/assets/main-abc123.js"></script>';
const SCRIPT = `console.log('${'x'.repeat(2_000)}');`;
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
const HTML = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let directory: string;
let app: TestApp;
let bare: TestApp;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'console-'));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), SHELL);
  writeFileSync(join(directory, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(directory, 'assets', 'main-abc123.js'), SCRIPT);
  writeFileSync(join(directory, 'assets', 'main-abc123.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(directory, 'assets', 'main-abc123.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(directory, 'assets', 'main-def456.css'), 'body{}');
  app = await TestApp.start({ consoleDirectory: directory });
  bare = await TestApp.start({ database: app.database });
});
afterAll(async () => {
  await bare.stop();
  await app.stop();
  rmSync(directory, { recursive: true });
});

/** Not `fetch`, which unpacks and follows by itself. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET', of = app) {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return sendBytes(of.url, `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

describe('the shell', () => {
  it.each([
    '/console/',
    '/console/index.html',
    '/console/usage?range=28d',
    '/console/people/a@b.example.com',
    '/console/x/y/z.js',
  ])('is what a browser gets at %s', async (path) => {
    const { status, headers, text } = await get(path, HTML);
    expect([status, text]).toEqual([200, SHELL]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': CSP,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it('is not sent again to a browser that has it', async () => {
    const { headers } = await get('/console/', HTML);
    const again = await get('/console/sessions', { ...HTML, 'If-None-Match': headers.etag ?? '' });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('is found from the bare address, and without the slash', async () => {
    expect(await get('/')).toMatchObject({ status: 302, headers: { location: '/console/' } });
    expect(await get('/console')).toMatchObject({ status: 302, headers: { location: '/console/' } });
  });

  it('answers HEAD', async () => {
    const { status, headers } = await get('/console/', HTML, 'HEAD');
    expect([status, headers['content-length']]).toEqual([200, `${SHELL.length}`]);
  });

  it('needs no credential and sets no cookie', async () => {
    expect((await get('/console/', HTML)).headers).not.toHaveProperty('set-cookie');
  });
});

describe('an asset', () => {
  const path = '/console/assets/main-abc123.js';

  it('may be kept for ever', async () => {
    const { status, headers, text } = await get(path);
    expect([status, text]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
  });

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ] as const)('is sent as the build compressed it, for %s', async (accepted, encoding, unpack) => {
    const response = await fetch(`${app.url}${path}`, { headers: { 'Accept-Encoding': accepted } });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(await response.text()).toBe(SCRIPT);
    const packed = encoding === 'br' ? brotliCompressSync(SCRIPT) : gzipSync(SCRIPT);
    expect(response.headers.get('content-length')).toBe(`${packed.length}`);
    expect(unpack(packed).toString()).toBe(SCRIPT);
  });

  it('is sent as it is where the build has not compressed it', async () => {
    const { headers, text } = await get('/console/assets/main-def456.css', { 'Accept-Encoding': 'br, gzip' });
    expect(text).toBe('body{}');
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it.each([
    ['/console/assets/main-old.js', HTML],
    ['/console/assets/main-old.js', { Accept: '*/*' }],
    ['/console/favicon.ico', { Accept: 'image/*' }],
    ['/console/missing.json', { Accept: '*/*' }],
    ['/console/assets/', HTML],
    ['/console/assets/../../package.json', { Accept: '*/*' }],
    ['/console/%2e%2e/%2e%2e/package.json', { Accept: '*/*' }],
    ['/console/assets/main-abc123.js%00', { Accept: '*/*' }],
  ])('that is missing is a 404 problem, never the shell: %s', async (missing, headers) => {
    const answer = await get(missing, headers);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toMatchObject({ status: 404, requestId: expect.any(String) });
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

describe('without a built console', () => {
  it.each(['/console', '/console/', '/console/assets/main-abc123.js'])('%s is a 404 problem', async (path) => {
    const { status, body } = await get(path, HTML, 'GET', bare);
    expect([status, body.status]).toEqual([404, 404]);
  });

  it('the bare address leads to the documentation', async () => {
    expect(await get('/', HTML, 'GET', bare)).toMatchObject({ status: 302, headers: { location: '/docs' } });
  });
});
