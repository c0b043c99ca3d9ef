import { expect, test } from '@jest/globals';
import type { Redis } from '../redis-connection.ts';
import { goesTo } from './follow-primary.ts';
import { noteNode } from './node-of.ts';

const connectionTo = (host: string, remoteAddress: string) => {
  const stream = { remoteAddress, remotePort: 6379 };
  noteNode(stream, { host, port: 6379 });
  return { stream } as unknown as Redis;
};

test.each([
  ['10.0.0.1', '10.0.0.1', '10.0.0.1', true],
  ['10.0.0.1', '10.0.0.1', '10.0.0.2', false],
  ['10.0.0.1', '::ffff:10.0.0.1', '10.0.0.1', true],
  ['redis-2', '10.0.0.2', 'redis-2', true],
  // All containers and pods listen on the same port.
  ['redis-2', '10.0.0.2', 'redis', false],
  ['redis-2', '10.0.0.2', '10.0.0.2', true],
  ['redis-2', '10.0.0.2', '10.0.0.1', false],
])('a connection that was opened to %s at %s goes to %s: %s', (name, address, node, goes) => {
  expect(goesTo(connectionTo(name, address), { host: node, port: 6379 })).toBe(goes);
});
