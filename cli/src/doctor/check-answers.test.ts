import { expect, test } from '@jest/globals';
import { checkAnswers } from './check-answers.ts';

test.each([
  ['no request', 0, 0, 'ok'],
  ['answers alone', 50, 0, 'ok'],
  ['two failures, which may be chance', 0, 2, 'ok'],
  ['failures among many answers', 970, 30, 'ok'],
  ['one failure in ten', 90, 10, 'warning'],
  ['failures alone', 0, 3, 'failed'],
])('%s', (_, successes, failures, status) => {
  const found = checkAnswers({ successes, failures });
  expect(found).toMatchObject({ check: 'answers', status });
  if (status !== 'ok') expect(found.detail).toContain(`${failures} of the ${successes + failures} requests`);
});
