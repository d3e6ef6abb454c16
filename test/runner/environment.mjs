import { ModuleMocker } from 'jest-mock';
import { createContext } from 'node:vm';

/** Jest creates some helpers in here; tests do not run in it. */
const ASIDE = createContext();

/** Runs tests in the worker's own realm, so that all files of a worker share modules. */
export default class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern = null;
  #before = { console: globalThis.console, exit: process.exit };

  setup() {}

  /** Undoes what Jest changes for one file. */
  teardown() {
    globalThis.console = this.#before.console;
    process.exit = this.#before.exit;
  }

  getVmContext() {
    return ASIDE;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }
}
