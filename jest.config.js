// Node runs the TypeScript sources itself, so Jest needs no transformer; the layer of a test shows in its name.
const base = {
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: 'node',
  modulePathIgnorePatterns: ['<rootDir>/.lontar/', '<rootDir>/coverage/'],
};

export default {
  collectCoverageFrom: ['*/src/**/*.ts', '!**/*.test.ts', '!**/main.ts'],
  coverageProvider: 'v8',
  testSequencer: '<rootDir>/cli/src/durations/longest-first.ts',
  // A guard against hanging, not a measure: real processes on a busy machine take their time.
  testTimeout: 180_000,
  // Of `test.concurrent`, which starts whole systems: two processors have room for few.
  maxConcurrency: 2,
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.(int|e2e)\\.test\\.ts$'],
    },
    { ...base, displayName: 'integration', testMatch: ['**/*.int.test.ts'] },
    { ...base, displayName: 'e2e', testMatch: ['**/*.e2e.test.ts'] },
  ],
};
