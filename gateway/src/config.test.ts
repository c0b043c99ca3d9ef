import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '@lontar/shared/config/read-config.ts';
import { gatewaySettings } from './config.ts';

const base = { REDIS_URL: 'redis://127.0.0.1:6379', KEY_PEPPER: 'p'.repeat(32), INNER_SECRET: 'i'.repeat(32) };

describe('TRUST_PROXY', () => {
  test.each([
    ['1', 1],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['127.0.0.1, ::1,fd00::/8', ['127.0.0.1', '::1', 'fd00::/8']],
  ])('%j is understood', (text, value) => {
    expect(readConfig(gatewaySettings, { ...base, TRUST_PROXY: text }).TRUST_PROXY).toEqual(value);
  });

  test.each(['true', 'false', '0', '11', 'loopback', '10.0.0.0/33', '10.0.0.1,', '*'])('%j is refused', (text) => {
    expect(() => readConfig(gatewaySettings, { ...base, TRUST_PROXY: text })).toThrow(ConfigError);
  });

  test.each(['0.0.0.0/0', '::/0', '127.0.0.1,0.0.0.0/0', '10.0.0.0/00', '10.0.0.0/', '10.0.0.0/8/0'])(
    '%j, which would be all addresses or is no network, is refused with the reason',
    (text) => {
      expect(() => readConfig(gatewaySettings, { ...base, TRUST_PROXY: text })).toThrow(
        /"true" or a network of all addresses \(\/0\) would let callers choose their own address/,
      );
    },
  );
});

test('a short pepper is refused without being shown', () => {
  expect(() => readConfig(gatewaySettings, { ...base, KEY_PEPPER: 'too-short' })).toThrow(
    /KEY_PEPPER is not valid: it must have/,
  );
});
