/**
 * Jest's test runner (`testRunner` in jest.config.mjs) with one change: test files are imported by Node itself, in the
 * worker's own realm. Jest loads every module again for each test file, some 3,000 of them for a file that starts the
 * service; here a worker loads them once. Everything else is Jest's: workers, reporters, command line, jest-circus, expect.
 *
 * What follows from it:
 * - Modules keep their state from one file to the next. A test that changes something global puts it back.
 * - `jest.mock`, fake timers of Jest and coverage are not available; nothing here uses them.
 * - A file that leaves a server, a socket, a timer or a process behind fails, because the next file would run beside it.
 */
import circusRunner from 'jest-circus/runner';
import asyncHooks from 'node:async_hooks';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { compiledFile } from './compile.mjs';
import { findLeftovers, resourcesBefore } from './leftovers.mjs';

const require = createRequire(import.meta.url);

export default async function runTestFile(globalConfig, config, environment, _runtime, testPath, sendMessage) {
  const before = await resourcesBefore();
  const runtime = nativeRuntime(config.rootDir);
  const result = await circusRunner.default(globalConfig, config, environment, runtime, testPath, sendMessage);
  const leftovers = await findLeftovers(before);
  return leftovers === null ? result : failed(result, `This file left something behind when it ended: ${leftovers}.`);
}

/** The part of Jest's runtime that jest-circus uses. */
function nativeRuntime(rootDir) {
  const nothing = () => undefined;
  return {
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (file) => import(pathToFileURL(compiledFile(rootDir, file)).href),
    requireModule: require,
    requireInternalModule: requireAfresh,
    setGlobalsForRuntime: nothing,
    enterTestCode: nothing,
    leaveTestCode: nothing,
  };
}

/** jest-circus keeps the tests and hooks of a file in its module and in this list of handlers. */
function requireAfresh(file) {
  Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
  Reflect.deleteProperty(require.cache, file);
  return withoutAsyncStorage(() => require(file));
}

/** Tests of a file run one after the other: what is current needs no AsyncLocalStorage, which makes every promise slower. */
class CurrentValue {
  run(value, work) {
    const before = this.value;
    this.value = value;
    const restore = () => (this.value = before);
    try {
      const result = work();
      if (typeof result?.then === 'function') return result.finally(restore);
      restore();
      return result;
    } catch (error) {
      restore();
      throw error;
    }
  }

  getStore() {
    return this.value;
  }
}

function withoutAsyncStorage(load) {
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = CurrentValue;
  try {
    return load();
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}

function failed(result, message) {
  const failureMessage = [result.failureMessage, `  ● ${message}\n`].filter(Boolean).join('\n');
  return { ...result, failureMessage, testExecError: { message, stack: message } };
}
