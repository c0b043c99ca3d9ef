import type { Redis, RedisSettings } from '../redis-connection.ts';
import type { IsPrimaryWith } from '../replication/replication.ts';
import { SENTINELS_ASKED_MS } from '../time-budget.ts';
import { within } from '../within.ts';
import { askNode, type NodeAccess } from './ask-node.ts';
import { askSentinels, type SentinelAnswer } from './find-by-sentinels.ts';
import { goesTo } from './follow-primary.ts';
import { type RedisNode, readRedisAddress, showNode } from './redis-address.ts';
import { readRedisTls } from './redis-tls.ts';

/** Nothing listens there: a Sentinel that has ended takes no part in a failover. */
const ENDED = 'ECONNREFUSED';

/**
 * Asks the Sentinels whether the server that a connection goes to is the primary still, with no failover begun. One that
 * has another primary in its place has the connection made anew.
 *
 * Of a failover that has begun only the Sentinel knows that leads it, which may be the one that gives no answer: so the
 * servers that have followed are asked as well whether one was made the primary.
 *
 * What a minority of Sentinels says counts where all replicas that they know have a write: whichever of them is made the
 * primary elsewhere has it too.
 *
 * @returns `undefined` where the address names no Sentinels: there is none to ask then. What is returned never rejects:
 *   Sentinels that are away have not said so
 * @throws ConfigError where a file of TLS is of no use
 */
export function askStillPrimary(target: RedisSettings, redis: Redis): IsPrimaryWith | undefined {
  const address = readRedisAddress(target.REDIS_URL);
  if (address.kind !== 'sentinel') return undefined;
  const tls = readRedisTls(target, address.tls);
  const { username, password } = address;
  const hasSuccessor = findSuccessors(redis, { username, password, tls });
  return async (holding, followed) => {
    const [answers, isSucceeded] = await Promise.all([
      askSentinels(address, tls, SENTINELS_ASKED_MS),
      hasSuccessor(followed),
    ]);
    const standing = judgeStanding(answers, (answer) => goesTo(redis, answer));
    if (standing === 'replaced') redis.stream?.destroy();
    if (isSucceeded) return false;
    if (standing === 'primary') return true;
    const known = Math.max(...answers.map(({ replicas = 0 }) => replicas));
    return standing === 'primary of a minority' && holding >= known;
  };
}

/**
 * Whether one of some servers was made the primary in the place of the one that a connection goes to. An earlier primary that
 * has come back says that it is one, too, but not that it followed this one.
 *
 * Servers that give no answer are not waited for until they give one again. What is returned never rejects.
 */
function findSuccessors(redis: Redis, access: NodeAccess): (servers: readonly RedisNode[]) => Promise<boolean> {
  const silent = new Set<string>();
  const ask = async (node: RedisNode): Promise<string> => {
    const info = await askNode(node, access, (other) => other.info('replication'));
    silent.delete(showNode(node));
    return info;
  };
  const asked = (node: RedisNode): Promise<string | undefined> => {
    const answer = ask(node).catch(() => undefined);
    if (silent.has(showNode(node))) return Promise.resolve(undefined);
    return within(SENTINELS_ASKED_MS, answer, () => {
      silent.add(showNode(node));
      return undefined;
    });
  };
  return async (servers) => {
    const others = servers.filter((server) => !goesTo(redis, server));
    const names = new Set(others.map(showNode));
    for (const name of silent) if (!names.has(name)) silent.delete(name);
    const [ours, ...theirs] = await Promise.all([
      redis.info('replication').catch(() => undefined),
      ...others.map(asked),
    ]);
    return theirs.some((info) => isSuccessor(info, ours));
  };
}

/**
 * Pure.
 *
 * @param info what a server says of its replication
 * @param ours the same of the one that it may have followed; `undefined` where that has not answered
 */
export function isSuccessor(info: string | undefined, ours: string | undefined): boolean {
  // The writes of each primary have an id; one that followed keeps the id of what it had got until it was made a primary.
  const id = /^master_replid:(\w+)/m.exec(ours ?? '')?.[1];
  const before = /^master_replid2:(\w+)/m.exec(info ?? '')?.[1];
  return id !== undefined && before === id && /^role:master\b/m.test(info ?? '');
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
