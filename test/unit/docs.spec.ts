import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MAX_README_LINES = 160;
const ROOT_PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
const DOCS = readdirSync('docs').filter((file) => file.endsWith('.md'));
const PAGES = [...ROOT_PAGES, ...DOCS.map((file) => `docs/${file}`)];

const read = (file: string) => readFileSync(file, 'utf8');
const withoutCode = (text: string) => text.replace(/^```[^]*?^```/gm, '');

/** How GitHub names the heading in a link: lower case, no punctuation, spaces as hyphens. */
function anchorsOf(file: string): string[] {
  const headings = withoutCode(read(file)).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(target)) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

describe('the documentation', () => {
  it(`has a README of at most ${MAX_README_LINES} lines`, () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_README_LINES);
  });

  it.each(PAGES)('has no broken relative link in %s', (page) => {
    const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !/^https?:/.test(link) && isBroken(page, link))).toEqual([]);
  });

  it.each(PAGES)('names only files that exist in %s', (page) => {
    const paths = [...read(page).matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('has every page in its index', () => {
    const index = read('docs/README.md');
    expect(DOCS.filter((file) => file !== 'README.md' && !index.includes(`(${file})`))).toEqual([]);
  });

  it('has every variable of .env.example in the table of variables', () => {
    const variables = [...read('.env.example').matchAll(/^#?\s*([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
    const rows = [...read('docs/configuration.md').matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map(([, name = '']) => name);
    expect(variables.length).toBeGreaterThan(30);
    expect(variables.filter((name) => !rows.includes(name))).toEqual([]);
  });
});
