import type { Actor } from '../keys/actor.ts';
import { type OperatorSession, operatorKeys, readSession, sessionId } from '../operator-sessions.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { auditHead } from './audit.ts';

const endScript = loadScript(new URL('./end-sessions.lua', import.meta.url));

/** Stands in the head of audit entries for what only the script knows; no name or address can hold it. */
const ID = '%ID%';

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
export async function endSessions(redis: Redis, actor: Actor, id = ''): Promise<number> {
  const head = auditHead(actor, 'session.end', ID);
  const characters = sessionId('x'.repeat(64)).length;
  return Number(await endScript(redis, [operatorKeys.sessions, redisKeys.audit], [id, head, characters]));
}
