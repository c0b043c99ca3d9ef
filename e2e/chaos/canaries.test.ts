import { expect, test } from '@jest/globals';
import { findCanaries } from './canaries.ts';

const SECRET = 'not/a+real?secret 17';

test.each([
  ['raw', SECRET],
  ['hex', Buffer.from(SECRET).toString('hex')],
  ['percent', encodeURIComponent(SECRET)],
  ['base64 alone', Buffer.from(SECRET).toString('base64')],
  ['base64 after one byte', Buffer.from(`x${SECRET}yz`).toString('base64')],
  ['base64url after two bytes', Buffer.from(`xx${SECRET}y`).toString('base64url')],
])('a secret is found in the form %s', (_form, text) => {
  expect(findCanaries({ s: SECRET }, { here: `before ${text} after`, there: 'nothing' })).toEqual(['s in here']);
});
