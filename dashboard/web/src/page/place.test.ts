import { expect, test } from '@jest/globals';
import { addressOf, readPlace } from './place.ts';

test.each([
  ['', '/', ''],
  ['#', '/', ''],
  ['#/keys', '/keys', ''],
  ['#/keys?state=active&q=a%3Fb', '/keys', 'state=active&q=a%3Fb'],
  // The skip link of an earlier visit, or whatever stands in an old address.
  ['#content', '/', ''],
])('%s is the page %s with the query %s', (hash, path, query) => {
  const place = readPlace(hash);
  expect([place.path, place.query.toString()]).toEqual([path, query]);
});

test('an address is read as it was written', () => {
  const query = new URLSearchParams({ q: 'a?b&c=#/d', state: 'active' });
  const place = readPlace(new URL(addressOf('/keys', query), 'https://a.example').hash);
  expect([place.path, place.query.get('q'), place.query.get('state')]).toEqual(['/keys', 'a?b&c=#/d', 'active']);
  expect(addressOf('/')).toBe('/');
});
