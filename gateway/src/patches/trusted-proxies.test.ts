import { expect, test } from '@jest/globals';
import express from 'express';
import { isProxy } from './trusted-proxies.ts';

const PROXY = '192.0.2.1';
const OTHER = '198.51.100.1';

test.each<[string, boolean | number | string[], [proxy: boolean, other: boolean]]>([
  ['no address', false, [false, false]],
  ['a number of hops: whoever connects', 1, [true, true]],
  ['addresses', [PROXY], [true, false]],
  ['a range', ['192.0.2.0/24'], [true, false]],
])('Express says whom it trusts: %s', (_, trusted, expected) => {
  const app = express().set('trust proxy', trusted);
  expect([PROXY, OTHER].map(isProxy(app))).toEqual(expected);
});
