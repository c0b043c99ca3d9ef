import { Redis } from 'ioredis';
import { hearLateErrors } from '../patches/late-errors.ts';
import { REDIS_CONNECT_TIMEOUT_MS } from '../time-budget.ts';
import { type RedisNode, showNode } from './redis-address.ts';
import type { RedisTls } from './redis-tls.ts';

export interface NodeAccess {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly tls: RedisTls | undefined;
}

/** A short-lived connection to one Sentinel or node, which tries nothing again. */
export function connectToNode(node: RedisNode, access: NodeAccess): Redis {
  const { username, password, tls } = access;
  const redis = new Redis({
    host: node.host,
    port: node.port,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
    connectionName: 'lontar-finds-primary',
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
    commandTimeout: REDIS_CONNECT_TIMEOUT_MS,
    // Sentinels answer in flat lists, whatever their version.
    protocol: 2,
    disableClientInfo: true,
  });
  hearLateErrors(redis);
  return redis;
}

/**
 * Asks one Sentinel or node something, on a connection that is closed afterwards.
 *
 * @throws what the connection or the command failed with
 */
export async function askNode<Answer>(
  node: RedisNode,
  access: NodeAccess,
  ask: (redis: Redis) => Promise<Answer>,
): Promise<Answer> {
  const redis = connectToNode(node, access);
  let cause: Error | undefined;
  redis.on('error', (error: Error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    return await ask(redis);
  } catch (error) {
    throw cause ?? error ?? new Error(`${showNode(node)} gave no answer`);
  } finally {
    redis.disconnect();
  }
}
