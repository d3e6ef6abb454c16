/** Whole programs, and loads that keep a core busy, run only when they are asked for: `npm run test:programs`, `npm run test:faults`. */
const apart = ['test/programs', 'test/load', 'test/faults'].filter(
  (folder) => !process.argv.some((word) => word.includes(folder)),
);

export default {
  rootDir: '.',
  testMatch: ['<rootDir>/test/**/*.spec.ts', '<rootDir>/test/**/*.e2e-spec.ts'],
  testPathIgnorePatterns: apart.map((folder) => `<rootDir>/${folder}/`),
  modulePathIgnorePatterns: ['<rootDir>/.test-build/', '<rootDir>/dist/', '<rootDir>/.data/'],
  // All files of a worker share its modules; see test/runner/shared-runner.mjs.
  testRunner: '<rootDir>/test/runner/shared-runner.mjs',
  testEnvironment: '<rootDir>/test/runner/environment.mjs',
  testSequencer: '<rootDir>/test/runner/sequencer.mjs',
  transform: {},
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  maxWorkers: 4, // more than two cores: many tests wait for a process, a lease or a timeout
  testTimeout: 30_000,
};
