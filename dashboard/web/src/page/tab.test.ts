import { expect, test } from '@jest/globals';
import type { Trouble } from '@lontar/shared/dashboard-contract.ts';
import { titleOf } from './tab.ts';

const trouble = (isDown: boolean) => ({ isDown }) as Trouble;

test.each([
  [[], false, 'Lontar'],
  [[trouble(false)], false, '▲ Trouble · Lontar'],
  [[trouble(true), trouble(false)], false, '✕ Down (2) · Lontar'],
  [[], true, '✕ No data · Lontar'],
])('%j, cut off %s: %s', (found, isCutOff, title) => {
  expect(titleOf(found, isCutOff)).toBe(title);
});

test('a page other than the first has its name in the title', () => {
  expect(titleOf([], false, 'Keys')).toBe('Keys · Lontar');
  expect(titleOf([trouble(true)], false, 'Keys')).toBe('✕ Down · Keys · Lontar');
});
