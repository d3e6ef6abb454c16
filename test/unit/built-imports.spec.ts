import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Programs beside the tests that import the build; the compiler does not look at them. */
const PROGRAMS = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mjs'));

describe('a program in test', () => {
  it.each(PROGRAMS)('imports only what is built: %s', (name) => {
    const imported = [...readFileSync(`test/${name}`, 'utf8').matchAll(/\/dist\/([\w./-]+)\.js'/g)];
    const missing = imported.map(([, file]) => `src/${file}.ts`).filter((file) => !existsSync(file));
    expect(missing).toEqual([]);
  });
});
