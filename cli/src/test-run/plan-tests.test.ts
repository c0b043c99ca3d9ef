import { describe, expect, test } from '@jest/globals';
import { planTests, skippedTests } from './plan-tests.ts';

describe('planTests', () => {
  test('everything: the checks too, as many at once as there are processors, results kept', () => {
    expect(planTests([], 'r.json', 2)).toEqual({
      runsChecks: true,
      jestArguments: ['--json', '--outputFile=r.json', '--maxWorkers=2'],
    });
  });

  test('four at once are most', () => {
    expect(planTests(['gateway'], 'r.json', 16).jestArguments).toContain('--maxWorkers=4');
  });

  test('a selection: no checks; what is given wins', () => {
    expect(planTests(['worker/src/masking', '--outputFile=mine.json', '-i'], 'r.json', 2)).toEqual({
      runsChecks: false,
      jestArguments: ['worker/src/masking', '--outputFile=mine.json', '-i'],
    });
  });
});

test('skippedTests names what was not run', () => {
  const results = {
    testResults: [
      { assertionResults: [{ status: 'passed', fullName: 'a' }] },
      { assertionResults: [{ status: 'pending', fullName: 'needs chromium' }] },
    ],
  };
  expect(skippedTests(results)).toEqual(['needs chromium']);
});
