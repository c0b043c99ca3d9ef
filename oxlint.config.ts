import { defineConfig, type OxlintOverride } from 'oxlint';

/** Imports that are forbidden, and why. */
interface Restriction {
  readonly group: string[];
  readonly message: string;
}

const MODEL_SDK: Restriction = {
  group: ['ai', '@ai-sdk/*'],
  message: 'The model SDK stays under worker/src/model/.',
};
const QUEUE: Restriction = {
  group: ['bullmq'],
  message: 'Only worker/src/job-runner.ts knows BullMQ.',
};

function services(...names: readonly string[]): Restriction {
  return {
    group: names.flatMap((name) => [`@lontar/${name}/**`, `**/../${name}/src/**`]),
    message: 'Services import shared, never each other; shared imports no service.',
  };
}

const NOT_GATEWAYS = services('worker', 'stats-service', 'cli');
const NOT_WORKERS = services('gateway', 'stats-service', 'cli');
const NOT_STATS_SERVICES = services('gateway', 'worker', 'cli');
const NOT_SHARED = services('gateway', 'worker', 'stats-service', 'cli');

function forbid(...patterns: Restriction[]): NonNullable<OxlintOverride['rules']> {
  return { 'eslint/no-restricted-imports': ['error', { patterns }] };
}

/**
 * What files may not import. Of the rows that fit a file the last one holds alone, so that each names all that it
 * forbids; narrower ones come later.
 */
const IMPORTS: OxlintOverride[] = [
  { files: ['gateway/**'], rules: forbid(MODEL_SDK, QUEUE, NOT_GATEWAYS) },
  { files: ['worker/**'], rules: forbid(MODEL_SDK, QUEUE, NOT_WORKERS) },
  { files: ['stats-service/**'], rules: forbid(MODEL_SDK, QUEUE, NOT_STATS_SERVICES) },
  { files: ['shared/**'], rules: forbid(MODEL_SDK, QUEUE, NOT_SHARED) },
  { files: ['worker/src/model/**'], rules: forbid(QUEUE, NOT_WORKERS) },
  // A client of the service, as callers have it.
  { files: ['e2e/harness/openai-clients.ts'], rules: forbid(QUEUE) },
  { files: ['worker/src/job-runner.ts'], rules: forbid(MODEL_SDK, NOT_WORKERS) },
  // The benchmark's floors measure BullMQ itself, and tests hold that it and our scripts understand each other.
  {
    files: ['e2e/bench/floors/queue-*.ts', 'worker/src/queue-layout.int.test.ts', 'e2e/bull-board.int.test.ts'],
    rules: { 'eslint/no-restricted-imports': 'off' },
  },
];

/** Machines' clocks may be hours apart, and may be set: services go by Redis's. */
const NO_MACHINE_TIME: OxlintOverride = {
  files: ['gateway/src/**', 'worker/src/**', 'stats-service/src/**', 'shared/src/**'],
  excludeFiles: ['**/*.test.ts', 'shared/src/machine-time.ts'],
  rules: {
    'eslint/no-restricted-properties': [
      'error',
      {
        object: 'Date',
        property: 'now',
        message:
          'Deadlines, waits and windows go by RedisClock, durations by performance.now(), the rest by machineNow().',
      },
    ],
  },
};

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'node', 'promise', 'jest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  ignorePatterns: ['node_modules', 'dist', 'coverage', '.lontar'],
  rules: {
    'eslint/max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
    'eslint/max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
    'eslint/eqeqeq': 'error',
    'eslint/no-console': 'error',
    'eslint/no-await-in-loop': 'off',
    'eslint/no-shadow': 'off',
    'eslint/no-unmodified-loop-condition': 'off',
    'typescript/unbound-method': 'off',
    'eslint/no-underscore-dangle': 'off',
    'import/no-cycle': 'error',
    'import/no-unassigned-import': 'off',
    'import/no-named-as-default-member': 'off',
    'node/no-process-env': 'error',
    'oxc/no-barrel-file': ['error', { threshold: 0 }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-return': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
    'unicorn/no-array-sort': 'off',
    'unicorn/require-post-message-target-origin': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'promise/always-return': 'off',
    'promise/no-promise-in-callback': 'off',
    ...forbid(MODEL_SDK, QUEUE),
  },
  overrides: [
    ...IMPORTS,
    NO_MACHINE_TIME,
    { files: ['**/main.ts', 'cli/*.mjs'], rules: { 'node/no-process-env': 'off', 'eslint/no-console': 'off' } },
    {
      files: ['**/*.test.ts', '**/testing/**', 'e2e/**'],
      rules: {
        'eslint/max-lines-per-function': 'off',
        'eslint/max-lines': 'off',
        'eslint/no-console': 'off',
        'node/no-process-env': 'off',
        'typescript/no-non-null-assertion': 'off',
        'unicorn/no-useless-spread': 'off',
        'jest/no-standalone-expect': 'off',
        'jest/expect-expect': 'off',
        'jest/no-conditional-expect': 'off',
        'jest/valid-title': 'off',
        'jest/require-to-throw-message': 'off',
      },
    },
  ],
});
