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
  if (failures > 0) expect(found.detail).toContain(`${failures} of the ${successes + failures} requests`);
});

// "ok" beside "2 of the 3 requests failed" reads as a contradiction.
test('says why failures can be ok', () => {
  expect(checkAnswers({ successes: 1, failures: 2 }).detail).toContain('Fewer than 3 may be chance');
  expect(checkAnswers({ successes: 970, failures: 30 }).detail).toContain('less than 5 %');
  expect(checkAnswers({ successes: 7, failures: 0 }).detail).toBe(
    'All requests of the last two minutes were answered: 7.',
  );
});
