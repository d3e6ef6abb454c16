/** Tests run the TypeScript sources as native ES modules (see the "test" script for the flag that needs). */
export default {
  testEnvironment: 'node',
  rootDir: '.',
  testMatch: ['<rootDir>/test/**/*.spec.ts', '<rootDir>/test/**/*.e2e-spec.ts'],
  // What starts and kills whole programs runs only when it is asked for (`npm run test:faults`).
  testPathIgnorePatterns: process.argv.some((argument) => argument.includes('test/faults')) ? [] : ['/test/faults/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        module: { type: 'es6' },
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
      },
    ],
  },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  maxWorkers: 3, // more than two cores: many tests wait for a process, a lease or a timeout
  testTimeout: 30_000,
};
