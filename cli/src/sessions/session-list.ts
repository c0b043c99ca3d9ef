import { type OperatorSession, operatorKeys, readSession } from '@lontar/shared/operator-sessions.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';

/**
 * Sessions that are open now, the last seen first. Their number is bounded where they are made.
 *
 * @throws when Redis fails
 */
export async function listSessions(redis: Redis): Promise<OperatorSession[]> {
  const [[seconds], all] = await Promise.all([redis.time(), redis.hgetall(operatorKeys.sessions)]);
  return Object.entries(all)
    .flatMap(([digest, text]) => readSession(digest, text) ?? [])
    .filter(({ expiresAt }) => expiresAt > Number(seconds) * 1_000)
    .toSorted((one, two) => two.seenAt - one.seenAt);
}

/**
 * Ends sessions at once: their next request is refused, and their live streams end within ten seconds.
 *
 * @param id of the one to end; of all where not given
 * @returns how many were ended
 * @throws when Redis fails; which sessions have ended is then unknown
 */
export async function endSessions(redis: Redis, id?: string): Promise<number> {
  const digests = await redis.hkeys(operatorKeys.sessions);
  const ended = id === undefined ? digests : digests.filter((digest) => digest.startsWith(id));
  return ended.length === 0 ? 0 : redis.hdel(operatorKeys.sessions, ...ended);
}
