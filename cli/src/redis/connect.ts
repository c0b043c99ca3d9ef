import { nameAwayErrors } from '@lontar/shared/patches/away-errors.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { Redis } from 'ioredis';
import { RedisUnreachable } from '../failure/redis-unreachable.ts';

const CONNECT_TIMEOUT_MS = 3_000;
/** Longer than waiting for the append-only file may take. */
const COMMAND_TIMEOUT_MS = 5_000;

/**
 * A connection for one operator's command: it either works now or says why not, and never tries again by itself.
 *
 * @param name what `CLIENT LIST` shows
 * @param advice what the operator can do when it does not work
 * @throws RedisUnreachable
 */
export async function connectOnce(url: string, name: string, advice = ''): Promise<Redis> {
  const redis = new Redis(url, {
    connectionName: name,
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let cause: Error | undefined;
  redis.on('error', (error: Error) => {
    cause = error;
  });
  try {
    await redis.connect();
    // Only a command shows whether the password is right and whether Redis is still loading its data.
    await redis.exists(redisKeys.apiKeyIndex);
    nameAwayErrors(redis);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new RedisUnreachable(url, explain(cause ?? error), advice);
  }
}

function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'nothing listens there.';
  if (code === 'ENOENT') return 'there is no such socket.';
  if (code === 'EACCES') return 'this user may not open the socket.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name is not known.';
  if (code === 'ETIMEDOUT' || /timed? ?out/i.test(message)) return 'it does not answer in time.';
  if (/WRONGPASS|invalid password/i.test(message)) return 'the password or user name is wrong.';
  if (/NOAUTH/.test(message)) return 'it asks for a password, and the address has none.';
  if (/LOADING/.test(message)) return 'it is still loading its data; try again in a moment.';
  return `${message}.`;
}
