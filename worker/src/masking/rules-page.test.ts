import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { rulesPage } from './testing/rules-page.ts';

/** The formatter pads the cells of tables; what they say is compared. */
const unpadded = (page: string) => page.replace(/ *\| */g, '|').replace(/-{3,}\|/g, '---|');

test('the page of rules says what the rules say (npm run docs makes it so)', () => {
  const page = readFileSync(new URL('../../../docs/masking-rules.md', import.meta.url), 'utf8');
  expect(unpadded(page)).toBe(unpadded(rulesPage()));
});
