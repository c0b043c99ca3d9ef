import { describe, expect, test } from '@jest/globals';
import { addressBits, limitAddress } from './address.ts';

describe('limitAddress', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['2001:db8:0:11ff:1:2:3:4', '2001:db8:0:1100::/56'],
    ['2001:db8:0:1100::', '2001:db8:0:1100::/56'],
    ['2001:db8:0:1200::1', '2001:db8:0:1200::/56'],
    ['fe80::1%eth0', 'fe80:0:0:0::/56'],
    ['::1', '0:0:0:0::/56'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/56'],
    ['', 'unknown'],
    ['not an address', 'unknown'],
  ])('counts %j as %j', (address, counted) => {
    expect(limitAddress(address)).toBe(counted);
  });
});

describe('addressBits', () => {
  test.each([
    ['10.1.2.3', '10.0.0.0/8', true],
    ['11.1.2.3', '10.0.0.0/8', false],
    ['198.51.100.7', '198.51.100.0/24', true],
    ['198.51.101.7', '198.51.100.0/24', false],
    ['198.51.100.7', '198.51.100.7', true],
    ['198.51.100.7', '0.0.0.0/0', true],
    ['2001:db8::1', '0.0.0.0/0', false],
    ['2001:db8::1', '2001:db8::/32', true],
    ['::ffff:10.0.0.1', '10.0.0.0/8', true],
  ])('knows whether %s is in %s', (address, network, inside) => {
    expect(addressBits(address)?.startsWith(addressBits(network) ?? 'x')).toBe(inside);
  });

  test.each(['', 'x', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0', '::/129', '10.0.0.0/'])(
    'refuses %j',
    (text) => {
      expect(addressBits(text)).toBeUndefined();
    },
  );
});
