import type { Redis, RedisSettings } from '../redis-connection.ts';
import { SENTINELS_ASKED_MS } from '../time-budget.ts';
import { askSentinels, type SentinelAnswer } from './find-by-sentinels.ts';
import { goesTo } from './follow-primary.ts';
import { readRedisAddress } from './redis-address.ts';
import { readRedisTls } from './redis-tls.ts';

/** Nothing listens there: a Sentinel that has ended takes no part in a failover. */
const ENDED = 'ECONNREFUSED';

/**
 * Asks the Sentinels whether the server that a connection goes to is the primary still, with no failover begun. One that
 * has another primary in its place has the connection made anew.
 *
 * What a minority of Sentinels says counts where all replicas that they know have a write: whichever of them is made the
 * primary elsewhere has it too.
 *
 * @returns `undefined` where the address names no Sentinels: there is none to ask then. What is returned never rejects:
 *   Sentinels that are away have not said so
 * @throws ConfigError where a file of TLS is of no use
 */
export function askStillPrimary(
  target: RedisSettings,
  redis: Redis,
): ((holding: number) => Promise<boolean>) | undefined {
  const address = readRedisAddress(target.REDIS_URL);
  if (address.kind !== 'sentinel') return undefined;
  const tls = readRedisTls(target, address.tls);
  return async (holding) => {
    const answers = await askSentinels(address, tls, SENTINELS_ASKED_MS);
    const standing = judgeStanding(answers, (answer) => goesTo(redis, answer));
    if (standing === 'replaced') redis.stream?.destroy();
    if (standing === 'primary') return true;
    const known = Math.max(...answers.map(({ replicas = 0 }) => replicas));
    return standing === 'primary of a minority' && holding >= known;
  };
}

/** Pure. @param isOurs whether it is the server that the connection goes to */
export function judgeStanding(
  answers: readonly SentinelAnswer[],
  isOurs: (primary: NonNullable<SentinelAnswer['primary']>) => boolean,
): 'primary' | 'primary of a minority' | 'failing over' | 'replaced' | 'unknown' {
  const latest = Math.max(...answers.map(({ epoch = -1 }) => epoch));
  const named = answers.filter(({ primary, epoch }) => primary && epoch === latest);
  if (named.length === 0) return 'unknown';
  if (named.some(({ primary }) => primary && !isOurs(primary))) return 'replaced';
  if (named.some(({ isFailingOver }) => isFailingOver)) return 'failing over';
  const heard = answers.filter(({ failure }) => failure === undefined || (failure as { code?: string }).code === ENDED);
  return heard.length * 2 > answers.length ? 'primary' : 'primary of a minority';
}
