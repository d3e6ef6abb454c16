import type { EnterpriseControls } from '../../src/modules/organization/controls/enterprise-controls.js';
import { mapSecrets } from '../../src/modules/organization/controls/secret-places.js';

const TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

/** The settings with each secret replaced, and the secrets. */
async function found(settings: EnterpriseControls): Promise<{ shown: EnterpriseControls; secrets: string[] }> {
  const secrets: string[] = [];
  const shown = await mapSecrets(settings, (secret) => {
    secrets.push(secret);
    return Promise.resolve('<secret>');
  });
  return { shown, secrets };
}

async function inUrl(url: string): Promise<string | undefined> {
  const { shown } = await found({ strictKnownMarketplaces: [{ source: 'url', url }] });
  return shown.strictKnownMarketplaces?.[0]?.url;
}

async function inArgs(extraArgs: Record<string, unknown>): Promise<unknown> {
  return (await found({ customModels: [{ extraArgs }] })).shown.customModels?.[0]?.extraArgs;
}

describe('a secret in a URL is found', () => {
  it.each([
    ['a password', 'https://ada:pw@host/p', 'https://ada:<secret>@host/p'],
    ['a password with another scheme', 'git+https://ada:pw@host/p', 'git+https://ada:<secret>@host/p'],
    ['a password with a scheme of digits', 's3a.x-y+z://ada:pw@host', 's3a.x-y+z://ada:<secret>@host'],
    ['a token as user name', `https://${TOKEN}@github.com/a/b`, 'https://<secret>@github.com/a/b'],
    ['a token as user name with another scheme', `git+ssh://${TOKEN}@host/a`, 'git+ssh://<secret>@host/a'],
    ['a token before a password', `https://${TOKEN}:x-oauth-basic@host/a`, 'https://<secret>:<secret>@host/a'],
    ['a token in the query', 'https://host/a?token=abc&b=1', 'https://host/a?token=<secret>&b=1'],
    [
      'a token that is not the first',
      'https://host/a?b=1&access_token=abc#top',
      'https://host/a?b=1&access_token=<secret>#top',
    ],
    ['a token by its look', `https://host/a?x=${TOKEN}`, 'https://host/a?x=<secret>'],
    ['a token in the fragment', 'https://host/a#access_token=abc', 'https://host/a#access_token=<secret>'],
    ['a mask, which stands for one', 'https://****abcd@host/a?x=****', 'https://<secret>@host/a?x=<secret>'],
  ])('%s', async (_what, url, shown) => {
    expect(await inUrl(url)).toBe(shown);
  });

  it.each([
    'https://github.com/a/b.git',
    'https://ada@bitbucket.org/a/b',
    'ssh://git@github.com/a/b.git',
    'git@github.com:a/b.git',
    'https://host/a?ref=main&page=2&author=ada&auth=none',
    'https://ada:${PASSWORD}@host/a?token=${TOKEN}',
    'https://host/a?id=01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e',
  ])('but none is in %s', async (url) => {
    expect(await inUrl(url)).toBe(url);
  });
});

describe('a secret among further fields of a request is found', () => {
  it('by the name of its field, or by its look, at any depth', async () => {
    const args = { 'api-key': 'abc', deep: { list: ['x', TOKEN], Authorization: 'Bearer abc' }, note: TOKEN };
    expect(await inArgs(args)).toEqual({
      'api-key': '<secret>',
      deep: { list: ['x', '<secret>'], Authorization: '<secret>' },
      note: '<secret>',
    });
  });

  it('in a URL', async () => {
    expect(await inArgs({ proxy: 'http://ada:pw@proxy:8080' })).toEqual({ proxy: 'http://ada:<secret>@proxy:8080' });
  });

  it('and nothing else is touched', async () => {
    const args = {
      model: 'claude-sonnet-4-5-20250929',
      max_tokens: '4096',
      tokenizer: 'cl100k_base_and_more',
      since: '2026-11-15T08:30:00.000Z',
      temperature: 0.5,
      stop: ['\n\n', null, true],
      auth: 'none',
      key: '${KEY}',
      id: '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e',
    };
    expect(await inArgs(args)).toEqual(args);
  });
});
