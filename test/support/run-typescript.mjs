// node --import ./test/support/run-typescript.mjs file.ts: runs the sources in a process of their own, as the tests do.
import { transformSync } from '@swc/core';
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export function resolve(specifier, context, next) {
  const fromTypeScript = context.parentURL?.endsWith('.ts') && specifier.startsWith('.');
  return next(fromTypeScript ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
    filename: fileURLToPath(url),
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
