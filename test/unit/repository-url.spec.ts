import fc from 'fast-check';
import { parseRepositoryUrl } from '../../src/modules/readiness/repository-url.js';
import { cpuMs } from '../support/cpu-time.js';

const KEY = 'github.com/acme/shop';

describe('the address of a repository', () => {
  it.each([
    'github.com/acme/shop',
    'github.com/acme/shop.git',
    'github.com/acme/shop/',
    'GitHub.com/Acme/Shop',
    'github.com:acme/shop.git',
    'github.com:443/acme/shop',
    'github.com./acme/shop',
    'https://github.com/acme/shop',
    'https://github.com/acme/shop.git',
    'https://github.com/acme/shop.GIT',
    'https://github.com/acme/shop/',
    'https://github.com/acme/shop.git/',
    'https://github.com//acme//shop',
    'HTTPS://GITHUB.COM/ACME/SHOP',
    'http://github.com/acme/shop',
    'https://github.com:443/acme/shop',
    'https://github.com:8443/acme/shop',
    'https://github.com:/acme/shop',
    'https://ada@github.com/acme/shop',
    'https://ada:secret@github.com/acme/shop.git',
    'https://ada:s@cret@github.com/acme/shop.git',
    'https://github.com/%61cme/sh%6Fp',
    'git://github.com/acme/shop.git',
    'git@github.com:acme/shop.git',
    'git@github.com:acme/shop',
    'git@github.com:/acme/shop.git',
    'git@github.com/acme/shop.git',
    'git@GitHub.com:Acme/Shop.git',
    'ada@github.com:acme/shop.git',
    'ssh://git@github.com/acme/shop.git',
    'ssh://git@github.com:22/acme/shop',
    'ssh://git@github.com:acme/shop.git',
    'ssh://github.com/acme/shop',
    'git+ssh://git@github.com/acme/shop.git',
    'git+https://github.com/acme/shop.git',
    'ssh://git@ssh.github.com:443/acme/shop.git',
  ])('%s is that of github.com/acme/shop', (text) => {
    expect(parseRepositoryUrl(text)?.key).toBe(KEY);
  });

  it.each([
    ['nested groups', 'git@gitlab.com:Acme/Web/Front/shop.git', 'gitlab.com/acme/web/front/shop'],
    ['an owner of digits', 'git@github.com:123/shop.git', 'github.com/123/shop'],
    ['an owner of digits without a user', 'github.com:123/shop', 'github.com/123/shop'],
    ['a group of digits, which is no port', 'git@gitlab.com:2222/acme/shop', 'gitlab.com/2222/acme/shop'],
    ['a host without a dot', 'http://gitserver:3000/team/shop', 'gitserver/team/shop'],
    ['an IPv4 address', 'ssh://git@10.0.0.7:2222/team/shop.git', '10.0.0.7/team/shop'],
    ['an IPv6 address', 'ssh://git@[2001:DB8:0::1]:22/team/shop.git', '[2001:db8::1]/team/shop'],
    ['a host in another script', 'https://bücher.example/team/shop', 'xn--bcher-kva.example/team/shop'],
    ['a name with dots', 'https://github.com/acme/acme.github.io.git', 'github.com/acme/acme.github.io'],
    ['a name that only ends like git', 'https://github.com/acme/widgit', 'github.com/acme/widgit'],
    ['a space', 'https://dev.azure.com/acme/My%20Project/_git/shop', 'dev.azure.com/acme/my%20project/_git/shop'],
    ['a home directory', 'ssh://ada@git.example.com/~ada/shop.git', 'git.example.com/~ada/shop'],
    ['an accent as it is', 'https://git.example.com/acme/caf\u00e9', 'git.example.com/acme/caf%c3%a9'],
    ['an accent of two characters', 'https://git.example.com/acme/cafe\u0301', 'git.example.com/acme/caf%c3%a9'],
    ['an accent that is encoded', 'https://git.example.com/acme/caf%C3%A9', 'git.example.com/acme/caf%c3%a9'],
  ])('with %s is understood', (_, text, key) => {
    expect(parseRepositoryUrl(text)?.key).toBe(key);
  });

  it.each([
    '',
    'x',
    'shop',
    'acme/shop',
    'github.com',
    'github.com/acme',
    'github.com/acme/',
    'github.com/acme/.git',
    'https://github.com',
    'https://github.com/acme',
    'https:///acme/shop',
    'https://:443/acme/shop',
    'https://ada@/acme/shop',
    'file:///srv/git/shop.git',
    'ftp://github.com/acme/shop',
    'javascript://github.com/acme/shop',
    '/srv/git/acme/shop',
    './acme/shop/x',
    '../acme/shop/x',
    'C:\\git\\acme\\shop',
    'https://github.com/acme/shop?tab=readme',
    'https://github.com/acme/shop?access_token=secret',
    'https://github.com/acme/shop#readme',
    'https://github.com/../shop',
    'https://github.com/acme/..',
    'https://github.com/%2e%2e/shop',
    'https://github.com/acme%2Fshop',
    'https://github.com/acme/%ff',
    'https://github.com/acme/%',
    'https://github.com/acme/%00',
    'https://github.com/acme/<script>',
    "https://github.com/acme/shop'--",
    'https://git hub.com/acme/shop',
    ' https://github.com/acme/shop',
    'https://github.com/acme/shop\n',
    'https://github.com/acme/sh\u200bop',
    'https://github..com/acme/shop',
    'https://[::1/acme/shop',
    'https://[not-an-address]/acme/shop',
    '@github.com:acme/shop',
    'git@:acme/shop',
    `https://github.com/acme/${'x'.repeat(1000)}`,
    `https://github.com/acme/${'é'.repeat(200)}`,
  ])('cannot be %j', (text) => {
    expect(parseRepositoryUrl(text)).toBeNull();
  });

  it.each([
    [true, 'https://github.com/acme/shop'],
    [true, 'http://gitserver/acme/shop'],
    [true, 'git@gitserver:acme/shop'],
    [true, 'github.com/acme/shop'],
    [false, 'gitserver/acme/shop'],
    [false, 'src/modules/readiness'],
    [false, 'C:/git/acme/shop'],
  ])('stands by itself (%j): %s', (isUrl, text) => {
    expect(parseRepositoryUrl(text)?.isUrl).toBe(isUrl);
  });

  it.each([
    [false, 'https://github.com/acme/shop'],
    [false, 'github.com/acme/shop'],
    [false, 'git@github.com:acme/shop.git'],
    [false, 'ssh://git@github.com/acme/shop.git'],
    [false, 'git+ssh://ada@github.com/acme/shop.git'],
    [true, 'https://ada:secret@github.com/acme/shop'],
    [true, 'https://ghp_token@github.com/acme/shop'],
    [true, 'https://:secret@github.com/acme/shop'],
    [true, 'https://x-access-token:secret@github.com/acme/shop'],
    [true, 'git+https://oauth2:secret@gitlab.com/acme/shop'],
    [true, 'git://ada@github.com/acme/shop'],
    [true, 'ssh://git:secret@github.com/acme/shop.git'],
    [true, 'git:secret@github.com:acme/shop.git'],
  ])('holds credentials (%j): %s', (hasCredentials, text) => {
    expect(parseRepositoryUrl(text)?.hasCredentials).toBe(hasCredentials);
  });

  it('has a key of which the key is the same again', () => {
    const segment = fc.string({ unit: fc.constantFrom(...'aZ09._-~+@ %éß.git'), minLength: 1, maxLength: 6 });
    const address = fc.tuple(
      fc.constantFrom('https://a.b/', 'git@a.b:', 'a.b/', 'ssh://git@a.b:22/'),
      fc.array(segment),
    );
    let understood = 0;
    fc.assert(
      fc.property(address, ([prefix, segments]) => {
        const key = parseRepositoryUrl(prefix + segments.map(encodeURIComponent).join('/'))?.key;
        if (key === undefined) return;
        understood++;
        expect(parseRepositoryUrl(key)?.key).toBe(key);
      }),
      { numRuns: 2000 },
    );
    expect(understood).toBeGreaterThan(200);
  });

  it.each(['/', 'a/', '@', ':', '.git', 'a@', '[', '%20', '://', '.'])(
    'is decided quickly, also for 50,000 times %j',
    (text) => {
      const took = cpuMs(() => {
        parseRepositoryUrl(`https://a.b/${text.repeat(50_000)}`);
        parseRepositoryUrl(text.repeat(1000 / text.length));
      });
      expect(took).toBeLessThan(50);
    },
  );
});
