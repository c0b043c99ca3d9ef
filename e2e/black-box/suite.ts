import { describe } from '@jest/globals';
import { testDrift } from './drift.ts';
import { testGeneration } from './generation.ts';
import { testKeys } from './keys.ts';
import { testLimits } from './limits.ts';
import { testOperator } from './operator.ts';
import { testRefusals } from './refusals.ts';
import type { GetService } from './service.ts';
import { testUploads } from './uploads.ts';
import { testUpstream } from './upstream.ts';

/**
 * Everything that a caller and an operator are promised and that shows from outside: the same for plain processes and
 * for containers. It needs a service that was started with `BLACK_BOX_SETTINGS` and that has no other callers
 * meanwhile.
 */
export function testBlackBox(service: GetService): void {
  describe('the API', () => {
    testGeneration(service);
  });
  describe('at the door', () => {
    testRefusals(service);
  });
  describe('the model', () => {
    testUpstream(service);
  });
  testWhatRedisDecides(service);
}

/** Its part that rests on what Redis does: every script, the queue and the streams. */
export function testWhatRedisDecides(service: GetService): void {
  describe('keys', () => {
    testKeys(service);
  });
  describe('limits', () => {
    testLimits(service);
  });
  describe('uploads', () => {
    testUploads(service);
  });
  describe('the operator', () => {
    testOperator(service);
  });
  describe('the numbers', () => {
    testDrift(service);
  });
}
