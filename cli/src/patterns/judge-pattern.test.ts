import { expect, test } from '@jest/globals';
import { judgePattern } from './judge-pattern.ts';

test.each([
  // What held a worker for ever, and what held the gateway for seconds.
  [String.raw`^[a-z]+(?:[-_.][a-z]*\d{0,3}[a-z]?(?:\.\d+)?[a-z]?)*$`, '', 'exponential'],
  [String.raw`[.\s]+$`, '', 'polynomial'],
  [String.raw`\/+$`, '', 'polynomial'],
  [String.raw`^(a|a)*$`, 'i', 'exponential'],
  [String.raw`^[a-z]+(?:[-_.][a-z]+)*$`, '', 'linear'],
  [String.raw`^\d{1,3}(?:\.\d{1,3}){3}$`, '', 'linear'],
  ['[[a-z]--[b]]', 'v', 'unknown'],
])('/%s/%s takes time that is %s', (pattern, flags, growth) => {
  expect(judgePattern(pattern, flags).growth).toBe(growth);
});
