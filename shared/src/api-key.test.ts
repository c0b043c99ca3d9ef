import { describe, expect, test } from '@jest/globals';
import { hashApiKey, mintApiKey, readKeyId } from './api-key.ts';

describe('an API key', () => {
  test('has the documented form and holds its id', () => {
    const { id, key } = mintApiKey();
    expect(key).toMatch(/^lt_live_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}$/);
    expect(readKeyId(key)).toBe(id);
  });

  test('is new each of 10,000 times', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => mintApiKey().key)).size).toBe(10_000);
  });

  test('keeps its id when it is rotated', () => {
    const { id, key } = mintApiKey();
    const rotated = mintApiKey(id);
    expect(rotated.id).toBe(id);
    expect(rotated.key).not.toBe(key);
  });

  test('is refused with any one character wrong', () => {
    const { key } = mintApiKey();
    for (let at = 0; at < key.length; at++) {
      const wrong = key[at] === 'x' ? 'y' : 'x';
      expect(readKeyId(key.slice(0, at) + wrong + key.slice(at + 1))).toBeUndefined();
    }
  });

  test.each(['', 'lt_live_', 'lt_test_0000000000_x', ` ${mintApiKey().key}`, `${mintApiKey().key}\n`])(
    'is not %j',
    (text) => {
      expect(readKeyId(text)).toBeUndefined();
    },
  );

  test('is stored as a hash that depends on the pepper', () => {
    const { key } = mintApiKey();
    const hash = hashApiKey(key, 'pepper-one');
    expect(hash).toMatch(/^[\w-]{43}$/);
    expect(hash).toBe(hashApiKey(key, 'pepper-one'));
    expect(hash).not.toBe(hashApiKey(key, 'pepper-two'));
  });
});
