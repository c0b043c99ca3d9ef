import type { Redis } from 'ioredis';
import { nameRedisAway } from '../redis-away.ts';

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
    const { reject } = command;
    command.reject = (error) => reject(nameRedisAway(error));
    return send(command, stream);
  };
}
