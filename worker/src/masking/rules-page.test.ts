import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { rulesPage } from './testing/rules-page.ts';

test('the page of rules says what the rules say (write it with `node e2e/bench/masking/write-rules-page.ts`)', () => {
  expect(readFileSync(new URL('../../../docs/masking-rules.md', import.meta.url), 'utf8')).toBe(rulesPage());
});
