import type { Redis } from 'ioredis';
import { nameRedisAway } from '../redis-away.ts';

type Reject = Parameters<Redis['sendCommand']>[0]['reject'];

/**
 * Makes commands of a connection fail with `RedisAwayError` where Redis is away, full or read-only. ioredis has plain
 * errors for it that only their messages tell apart.
 *
 * Patches `sendCommand`, and `reject` of its commands: checked with ioredis 6.0.0. away-errors.int.test.ts fails where
 * commands are rejected another way.
 */
export function nameAwayErrors(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    command.reject = naming(command.reject);
    return send(command, stream);
  };
}

/** Not a literal that is assigned: see young-commands.ts. */
function naming(reject: Reject): Reject {
  return (error) => reject(nameRedisAway(error));
}
