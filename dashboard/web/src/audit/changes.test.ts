import { expect, test } from '@jest/globals';
import { apiKeyRecordSchema } from '@lontar/shared/api-key-record.ts';
import { audit } from '../words/audit.ts';
import { changesOf } from './changes.ts';

test('a change has what was and what is, by name, and times as times', () => {
  const before = { perHour: '5', note: 'old', models: ['a'] };
  const after = { perHour: '10', expiresAt: '1798675200000', revokedAt: 1798675200000, owner: '1798675200000' };
  expect(changesOf({ before, after })).toEqual([
    { name: 'expiresAt', is: '2026-12-31T00:00:00.000Z' },
    { name: 'models', was: '["a"]' },
    { name: 'note', was: 'old' },
    { name: 'owner', is: '1798675200000' },
    { name: 'perHour', was: '5', is: '10' },
    { name: 'revokedAt', is: '2026-12-31T00:00:00.000Z' },
  ]);
});

test('an entry without facts has no changes, and names of the language are none of its own', () => {
  expect(changesOf({ before: null, after: null })).toEqual([]);
  expect(changesOf({ before: {}, after: { constructor: 'x' } })).toEqual([{ name: 'constructor', is: 'x' }]);
});

/** What no entry of the audit log has: secrets, what admission counts, and what every change changes. */
const COUNTED = ['version', 'changes', 'charged', 'dayCount'];
const NOT_TOLD = new Set(['id', 'hash', 'oldHash', 'madeFrom', 'addressBits', ...COUNTED]);

test('every field of a key that may be changed has a name in words', () => {
  const told = Object.keys(apiKeyRecordSchema.shape).filter((field) => !NOT_TOLD.has(field));
  expect(told.filter((field) => !Object.hasOwn(audit().fields, field))).toEqual([]);
});
