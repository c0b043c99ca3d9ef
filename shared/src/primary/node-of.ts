import type { RedisNode } from './redis-address.ts';

const nodes = new WeakMap<object, RedisNode>();

/** Notes which server a socket was opened to, by the name under which it was found. */
export function noteNode(stream: object, node: RedisNode): void {
  nodes.set(stream, node);
}

/** The server that a socket was opened to, where it was found by Sentinels or in a cluster. */
export function nodeOf(stream: object): RedisNode | undefined {
  return nodes.get(stream);
}
