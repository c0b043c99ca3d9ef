import { describe, expect, test } from '@jest/globals';
import { filesToRunAgain, type TestResults, withSecondRun } from './second-run.ts';

const file = (name: string, ...statuses: string[]) => ({
  name: `/lontar/${name}`,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status, index) => ({ status, fullName: `${name} ${index}` })),
});

function results(...testResults: ReturnType<typeof file>[]): TestResults {
  const count = (wanted: string) =>
    testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === wanted).length;
  return {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numRuntimeErrorTestSuites: 0,
    testResults,
  };
}

const again = (...files: ReturnType<typeof file>[]) => filesToRunAgain(results(...files), '/lontar');

describe('filesToRunAgain', () => {
  test('one or two files of real processes that failed, and no other', () => {
    const failed = [file('e2e/proxy.e2e.test.ts', 'failed'), file('gateway/src/x.int.test.ts', 'passed', 'failed')];
    expect(again(...failed, file('e2e/limits.e2e.test.ts', 'passed'))).toEqual(failed.map(({ name }) => name));
  });

  test('none where a test of a function failed, or one that counts charges and losses', () => {
    const proxy = file('e2e/proxy.e2e.test.ts', 'failed');
    expect(again(proxy, file('gateway/src/x.test.ts', 'failed'))).toEqual([]);
    for (const name of ['chaos', 'faults', 'money', 'numbers', 'poison-pill']) {
      expect(again(file(`e2e/${name}.e2e.test.ts`, 'failed'))).toEqual([]);
    }
  });

  test('none where three files failed, or none did', () => {
    expect(again(...['a', 'b', 'c'].map((name) => file(`e2e/${name}.e2e.test.ts`, 'failed')))).toEqual([]);
    expect(again(file('e2e/proxy.e2e.test.ts', 'passed'))).toEqual([]);
  });
});

test('withSecondRun counts the tests of the second run, and names what had failed', () => {
  const first = results(file('e2e/a.e2e.test.ts', 'passed', 'failed', 'pending'), file('b.test.ts', 'passed'));
  const whole = withSecondRun(first, results(file('e2e/a.e2e.test.ts', 'passed', 'passed', 'pending')), '/lontar');
  expect(whole).toMatchObject({
    numPassedTests: 3,
    numFailedTests: 0,
    passedOnSecondRun: ['e2e/a.e2e.test.ts: e2e/a.e2e.test.ts 1'],
  });
  expect(whole.testResults.map(({ status }) => status)).toEqual(['passed', 'passed']);
});

test('a file that broke off before its tests is named itself', () => {
  const broken = { ...file('e2e/a.e2e.test.ts'), status: 'failed' };
  const first = { ...results(broken), numRuntimeErrorTestSuites: 1 };
  expect(withSecondRun(first, results(file('e2e/a.e2e.test.ts', 'passed')), '/lontar')).toMatchObject({
    numPassedTests: 1,
    numRuntimeErrorTestSuites: 0,
    passedOnSecondRun: ['e2e/a.e2e.test.ts'],
  });
});
