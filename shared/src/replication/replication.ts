import { type RedisNode, showNode } from '../primary/redis-address.ts';
import { RedisAwayError } from '../redis-away.ts';
import type { Redis } from '../redis-connection.ts';
import { REPLICAS_WAIT_MS } from '../time-budget.ts';

/** Whether enough replicas have what the primary has. */
export interface Replication {
  /**
   * Resolves when enough replicas have everything that this server had executed when this turn of the event loop ended,
   * whoever wrote it. Called right after a reply, in the same turn, it speaks of the server that gave the reply: another one
   * takes more than a turn to connect to. All who ask in one turn share the same commands, and so do all who ask while
   * these wait for replicas.
   *
   * @throws RedisAwayError where too few of them have it in time, or Redis fails: whether it outlives the primary is then
   *   unknown
   */
  held(): Promise<void>;
}

/**
 * @param holding how many replicas have a write
 * @param followed servers that have followed the one that the connection goes to, or one before it, the latest last
 */
export type IsPrimaryWith = (holding: number, followed: readonly RedisNode[]) => Promise<boolean>;

export interface ReplicationOptions {
  /** How many have to have it. */
  readonly replicas: number;
  /**
   * Whether the server that the connection goes to is the primary still, and stays it for now, though only so many replicas
   * have a write. Where it is given, all replicas that follow the primary have to have a write, and fewer do only while this
   * says so: any of them may be made the primary, and one that is made it while the old one lives on takes no more of its
   * writes, which the others go on confirming.
   */
  readonly isPrimaryWith?: IsPrimaryWith | undefined;
  /** Called after each wait, with whether enough of them had it. */
  readonly onWaited?: (isHeld: boolean) => void;
}

/** What a server said behind a write. */
interface Seen {
  /** Replicas that have the write. */
  readonly holding: number;
  /** Where the server is in what replicas get. */
  readonly offset: number;
  /** The replicas that follow it, and where each of them is. */
  readonly followers: readonly (readonly [RedisNode, offset: number])[];
}

/** A wait asks again where a replica has come, or come back. */
const MOST_ROUNDS = 3;
/** More servers than anybody has; of those that come and go under new addresses the oldest are forgotten. */
const MOST_FOLLOWED = 16;
/**
 * A replica that was promoted is known to the Sentinels as the primary within this, ms. So long after one was excused each
 * wait has it confirmed that it was not promoted; from then on one in so many ms does.
 */
const SWITCHED_WITHIN_MS = 10_000;
const CONFIRMED_MS = 1_000;

/**
 * @param redis a connection that fails fast
 * @param fence a key of this process alone: writing it gives the server's place in what replicas get, which a connection
 *   that has only read does not have
 * @returns `undefined` where no replicas have to have anything: nothing is asked then
 * @throws nothing itself
 */
export function watchReplication(redis: Redis, fence: string, options: ReplicationOptions): Replication | undefined {
  if (options.replicas === 0) return undefined;
  const wait = options.isPrimaryWith
    ? waitForAll(redis, fence, options.replicas, options.isPrimaryWith)
    : waitForSome(redis, fence, options.replicas);
  let next: Promise<void> | undefined;
  let running: Promise<void> | undefined;

  async function waitOnce(): Promise<void> {
    try {
      const isHeld = await wait();
      options.onWaited?.(isHeld);
      if (!isHeld) throw new RedisAwayError('too few replicas have what was written', { replied: true });
    } finally {
      running = undefined;
    }
  }

  /** One at a time: a wait holds up everything behind it on its connection, and several that wait in vain add up. */
  async function waitNext(): Promise<void> {
    try {
      // Where that is in vain, so would be another one right behind it.
      await running;
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      // Those who ask from now on want another one.
      next = undefined;
    }
    running = waitOnce();
    return running;
  }

  return { held: () => (next ??= waitNext()) };
}

/** Waits until any so many replicas have what was written. */
function waitForSome(redis: Redis, fence: string, replicas: number): () => Promise<boolean> {
  return async () => {
    const [, holding] = await Promise.all([
      redis.set(fence, '1', 'EX', 60),
      redis.call('WAIT', replicas, REPLICAS_WAIT_MS) as Promise<number>,
    ]);
    return holding >= replicas;
  };
}

/** A replica that does not have to have what is written, though it followed: it is dead, or hangs. Or it was promoted. */
interface Excuse {
  /** It counts again once it is beyond this place. */
  readonly at: number;
  /** How many followed before. */
  readonly of: number;
  readonly since: number;
}

/** Waits until all replicas that follow the primary have what was written, but for those that are excused. */
function waitForAll(redis: Redis, fence: string, least: number, isPrimaryWith: IsPrimaryWith): () => Promise<boolean> {
  /** How many replicas have to have a write; unknown after a new connection, until it is confirmed where it leads. */
  let wanted: number | undefined;
  let excuse: Excuse | undefined;
  let confirmedAt = 0;
  const followed = new Map<string, RedisNode>();
  redis.on('close', () => {
    wanted = undefined;
    excuse = undefined;
  });
  const isConfirmed = () => {
    const now = performance.now();
    return excuse === undefined || (now - excuse.since > SWITCHED_WITHIN_MS && now - confirmedAt < CONFIRMED_MS);
  };

  return async () => {
    const { stream } = redis;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const asked = Math.max(least, wanted ?? 0);
      const seen = await askBehindWrite(redis, fence, asked);
      remember(followed, seen);
      if (seen.holding < least) return false;
      const following = seen.followers.filter(([, offset]) => offset > (excuse?.at ?? -1)).length;
      const lacks = seen.holding < asked;
      if (wanted === undefined || lacks || (following <= asked && !isConfirmed())) {
        // What was said is of the server that it was said of.
        if (!(await isPrimaryWith(seen.holding, [...followed.values()])) || redis.stream !== stream) return false;
        confirmedAt = performance.now();
        if (lacks) excuse = { at: seen.offset, of: Math.max(asked, excuse?.of ?? 0), since: confirmedAt };
        wanted = lacks ? seen.holding : asked;
      }
      if (lacks || following <= asked) return true;
      // One has come, or come back.
      wanted = following;
      if (excuse && following >= excuse.of) excuse = undefined;
    }
    return false;
  };
}

/** @throws RedisAwayError where the server is no primary, or Redis fails */
async function askBehindWrite(redis: Redis, fence: string, replicas: number): Promise<Seen> {
  const [, holding, [role, offset, followers]] = await Promise.all([
    redis.set(fence, '1', 'EX', 60),
    redis.call('WAIT', replicas, REPLICAS_WAIT_MS) as Promise<number>,
    redis.call('ROLE') as Promise<[string, number, [string, string, string][]]>,
  ]);
  if (role !== 'master') throw new RedisAwayError('this server is a replica now', { replied: true });
  return {
    holding,
    offset,
    followers: followers.map(([host, port, at]) => [{ host, port: Number(port) }, Number(at)] as const),
  };
}

function remember(followed: Map<string, RedisNode>, { followers }: Seen): void {
  for (const [node] of followers) {
    const name = showNode(node);
    followed.delete(name);
    followed.set(name, node);
  }
  for (const name of followed.keys()) if (followed.size > MOST_FOLLOWED) followed.delete(name);
}
