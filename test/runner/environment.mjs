import { ModuleMocker } from 'jest-mock';
import { createContext } from 'node:vm';

/** Jest makes some of its own helpers in here; tests never run in it. */
const ASIDE = createContext();

/** Tests run in the worker's own realm, so that all files of a worker share its modules. */
export default class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern = null;
  #before = { console: globalThis.console, exit: process.exit };

  setup() {}

  /** Undoes what Jest changes for the time of one file. */
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
