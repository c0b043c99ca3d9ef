import { describe, expect, test } from '@jest/globals';
import { mintApiKey, readKeyId } from '../api-key.ts';
import {
  ADMIN_ROLES,
  holdsAdminToken,
  looksLikeAdminToken,
  mayAs,
  mintAdminToken,
  readAdminTokenId,
} from './admin-token.ts';

describe('an admin token', () => {
  const { id, token } = mintAdminToken();

  test('has an id in it, and is no API key; nor is an API key one', () => {
    expect(readAdminTokenId(token)).toBe(id);
    expect(readKeyId(token)).toBeUndefined();
    expect(readAdminTokenId(mintApiKey().key)).toBeUndefined();
    expect(readKeyId(token.replace('lt_admin_', 'lt_live_'))).toBeUndefined();
    expect(readAdminTokenId(mintApiKey().key.replace('lt_live_', 'lt_admin_'))).toBeUndefined();
  });

  test.each([
    ['nothing', ''],
    ['another character', token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')],
    ['one too many', `${token}0`],
    ['one too few', token.slice(0, -1)],
    ['a line break', `${token}\n`],
    ['10,000 characters', `lt_admin_${'a'.repeat(10_000)}`],
  ])('%s: is none', (_what, text) => {
    expect(readAdminTokenId(text)).toBeUndefined();
  });

  test('is known where it stands in the wrong place', () => {
    expect(looksLikeAdminToken(`${token}x`)).toBe(true);
    expect(holdsAdminToken(`/admin/v1/keys?token=${token}`)).toBe(true);
    expect(holdsAdminToken(`/admin/v1/keys?token=${mintApiKey().key}`)).toBe(false);
  });
});

test('each role may what those before it may, and no more', () => {
  const table = ADMIN_ROLES.map((role) => ADMIN_ROLES.map((wanted) => mayAs(role, wanted)));
  expect(table).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
});
