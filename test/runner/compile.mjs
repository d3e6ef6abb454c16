import { transform } from '@swc/core';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

/** Compiled files have the same paths below this folder as in the repository. */
export const BUILD_FOLDER = '.test-build';

const SWC_OPTIONS = {
  module: { type: 'es6' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  sourceMaps: 'inline',
  inlineSourcesContent: false,
};

export function compiledFile(root, file) {
  return join(root, BUILD_FOLDER, relative(root, file)).replace(/\.ts$/, '.js');
}

/** Compiles files of `src` and `test` that changed since the last run, without checking types. */
export async function compile(root) {
  const listFile = join(root, BUILD_FOLDER, 'compiled.json');
  const before = readList(listFile);
  const after = {};
  const files = (await Promise.all(['src', 'test'].map((folder) => sourcesBelow(join(root, folder))))).flat();
  const results = await Promise.allSettled(
    files.map(async (file) => (after[relative(root, file)] = await compileFile(root, file, before))),
  );
  const stale = Object.keys(before).filter((name) => !(name in after)); // deleted, or no longer compiled
  await Promise.all(stale.map((name) => rm(compiledFile(root, join(root, name)), { force: true })));
  const list = JSON.stringify(after);
  if (list !== JSON.stringify(before)) await writeFile(listFile, list);
  const failure = results.find(({ status }) => status === 'rejected');
  if (failure) throw failure.reason;
}

async function compileFile(root, file, before) {
  const source = await readFile(file, 'utf8');
  const digest = createHash('sha1').update(JSON.stringify(SWC_OPTIONS)).update(source).digest('base64');
  const target = compiledFile(root, file);
  if (before[relative(root, file)] === digest && existsSync(target)) return digest;
  await mkdir(dirname(target), { recursive: true });
  const { code } = file.endsWith('.ts')
    ? await transform(source, { ...SWC_OPTIONS, filename: file })
    : { code: source };
  await writeFile(target, code);
  return digest;
}

async function sourcesBelow(folder) {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => /(?<!\.d)\.(ts|mjs)$|prices\.json$/.test(name) && !name.startsWith(`client${sep}`))
    .map((name) => join(folder, name));
}

function readList(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
