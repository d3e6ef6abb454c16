import { AppConfig } from '../../src/config/app-config.js';
import { mayPrintLink, publicUrlOf, readyMessage } from '../../src/ready-message.js';

const ADDRESS = 'http://127.0.0.1:4711';
const READY = { address: ADDRESS, created: null, hasConsole: true, link: null };

describe('what a start prints', () => {
  it.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ HOST: 'localhost' }, true],
    [{ HOST: '::1' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '::' }, false],
    [{ HOST: '192.168.1.7' }, false],
    [{ PUBLIC_URL: 'https://agents.example.com' }, false],
    [{ PUBLIC_URL: 'http://localhost:8080' }, true],
  ])('with %j may hold a link that signs in: %s', (env, expected) => {
    expect(mayPrintLink(AppConfig.fromEnv(env))).toBe(expected);
  });

  it('holds the link, where nobody can overlook it', () => {
    const link = `${ADDRESS}/console/#welcome=secret`;
    const text = readyMessage(AppConfig.fromEnv({}), { ...READY, link });
    expect(text.split('\n').slice(1, 7)).toEqual([
      'Agent Platform is ready.',
      '',
      '  Open the console with this link. It works once, for 15 minutes:',
      '',
      `  ${link}`,
      '',
    ]);
    expect(text).toContain('  Console      http://127.0.0.1:3000/console/\n');
  });

  it('says how to get a link where none is printed', () => {
    expect(readyMessage(AppConfig.fromEnv({}), READY)).toContain('npm run cli -- sign-in');
  });

  it('does not speak of a console that was not built', () => {
    expect(readyMessage(AppConfig.fromEnv({}), { ...READY, hasConsole: false })).not.toMatch(/console|sign-in/i);
  });

  it('warns of sign-ins over plain HTTP', () => {
    const env = { CONSOLE_ALLOW_HTTP: 'true' };
    expect(readyMessage(AppConfig.fromEnv(env), READY)).toContain('WARNING: CONSOLE_ALLOW_HTTP=true.');
    const encrypted = { ...env, PUBLIC_URL: 'https://agents.example.com' };
    expect(readyMessage(AppConfig.fromEnv(encrypted), READY)).not.toContain('WARNING');
  });

  it('names the address on which it listens when the port is any', () => {
    expect(publicUrlOf(AppConfig.fromEnv({ PORT: '0' }), ADDRESS)).toBe(ADDRESS);
  });
});
