import { explainListenFailure } from '../../src/listen-failure.js';

const failure = (code: string) => Object.assign(new Error(`listen ${code}`), { code });
const settings = { variable: 'PORT', port: 80, host: '10.9.9.9' } as const;

describe('an address that cannot be listened on', () => {
  it.each([
    ['EADDRINUSE', 'PORT=81 npm start'],
    ['EACCES', 'PORT=3080 npm start'],
    ['EADDRNOTAVAIL', 'HOST=127.0.0.1 npm start'],
    ['ENOTFOUND', 'HOST=0.0.0.0 npm start'],
  ])('because of %s is explained with a way out', (code, wayOut) => {
    expect(String(explainListenFailure(failure(code), settings))).toContain(wayOut);
  });

  it('never leads to a port that does not exist', () => {
    const last = { ...settings, port: 65_535 };
    expect(String(explainListenFailure(failure('EADDRINUSE'), last))).toContain('PORT=3000');
  });

  it('for another reason is reported as it is', () => {
    const error = failure('EMFILE');
    expect(explainListenFailure(error, settings)).toBe(error);
  });
});
