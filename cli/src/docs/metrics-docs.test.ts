import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { metricsPage } from './metrics-docs.ts';

test('docs/metrics.md is what the definitions say (npm run docs makes it so)', () => {
  expect(readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')).toBe(metricsPage());
});
