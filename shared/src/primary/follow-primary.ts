import { isIP } from 'node:net';
import type { Redis, RedisTarget } from '../redis-connection.ts';
import { LISTENER_ASK_MS } from '../time-budget.ts';
import { connectToNode, type NodeAccess } from './ask-node.ts';
import { nodeOf } from './node-of.ts';
import { type RedisNode, readRedisAddress, type SentinelAddress, showNode } from './redis-address.ts';
import { readRedisTls } from './redis-tls.ts';

const SWITCHED = '+switch-master';
/** Until a Sentinel that is away is tried again. */
const SENTINEL_RETRY_MS = 1_000;

/**
 * Listens to the Sentinels, and makes connections anew that go elsewhere once another server is the primary. A primary
 * that was paused or cut off closes no connection, and its clients would learn of the switch by silence alone; a new
 * connection to it may hang before it is ready.
 *
 * Where the address names no Sentinels there is nothing to listen to.
 *
 * @param connections of one process; as patches need them, see `renewTogether`, others may be renewed with them
 * @throws nothing: Sentinels that are away are tried again
 */
export function followPrimary(target: RedisTarget, connections: readonly Redis[]): { stop(): void } {
  const settings = typeof target === 'string' ? { REDIS_URL: target } : target;
  const address = readRedisAddress(settings.REDIS_URL);
  if (address.kind !== 'sentinel') return { stop: () => undefined };
  const access = { ...address.sentinel, tls: readRedisTls(settings, address.tls) };
  const onSwitch = (primary: RedisNode) => {
    for (const redis of connections) if (!goesTo(redis, primary)) redis.stream?.destroy();
  };
  const listeners = address.nodes.map((node) => listenTo(node, access, address.primary, onSwitch));
  return {
    stop() {
      for (const stop of listeners) stop();
    },
  };
}

/** Listens to one Sentinel until it is stopped; one that hangs counts as away. */
function listenTo(
  node: RedisNode,
  access: NodeAccess,
  name: SentinelAddress['primary'],
  onSwitch: (primary: RedisNode) => void,
): () => void {
  let isStopped = false;
  let current: Redis | undefined;
  let retry: NodeJS.Timeout | undefined;
  const listen = () => {
    const redis = connectToNode(node, access);
    current = redis;
    redis.on('error', () => undefined);
    redis.on('message', (_channel: string, message: string) => {
      // Its name, where it was, and where it is.
      const [whose, , , host = '', port] = message.split(' ');
      if (whose === name) onSwitch({ host, port: Number(port) });
    });
    const asking = setInterval(() => void redis.ping().catch(() => redis.disconnect()), LISTENER_ASK_MS).unref();
    redis.on('end', () => {
      clearInterval(asking);
      if (!isStopped) retry = setTimeout(listen, SENTINEL_RETRY_MS).unref();
    });
    redis.subscribe(SWITCHED).catch(() => redis.disconnect());
  };
  listen();
  return () => {
    isStopped = true;
    clearTimeout(retry);
    current?.disconnect();
  };
}

/** Whether a connection goes to this server; one without a socket goes to no other. */
export function goesTo({ stream }: Redis, node: RedisNode): boolean {
  if (!stream) return true;
  const asked = nodeOf(stream);
  if (asked && showNode(asked) === showNode(node)) return true;
  // One that was named is known by its name alone: all may listen on the same port.
  if (asked && isIP(asked.host) === 0 && isIP(node.host) === 0) return false;
  const { remoteAddress = '', remotePort } = stream;
  const { host, port } = node;
  return remotePort === port && (remoteAddress === host || remoteAddress === `::ffff:${host}` || isIP(host) === 0);
}
