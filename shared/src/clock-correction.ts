import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { nameRedisAway, RedisAwayError } from './redis-away.ts';
import { redisKeys } from './redis-keys.ts';
import { within } from './within.ts';

/** Below it a difference of two servers' clocks is nobody's concern, ms. */
export const NOTABLE_JUMP_MS = 10_000;
/** A connection that does not know the time lets others decide for so long, ms; and looks so often. */
const LET_OTHERS_MS = 2_000;
const LOOK_EVERY_MS = 25;
/** And so often a server that takes no notes yet is met again at least, ms. */
const LOOK_MOST_MS = 100;
/** Nothing waits longer for a server to be met, ms: a request is refused in time. */
const MET_WITHIN_MS = 500;
const NEVER_PROMOTED = /^0*$/;

const SOURCE = readFileSync(new URL('./meet-server.lua', import.meta.url), 'utf8');

interface Met {
  correction: number;
  /** When the server became the primary in the place of another one, by its corrected clock, Unix ms; 0 where it did not. */
  since: number;
  /** Why the server that the connection comes to cannot be met yet: it lacks replicas, or is full. */
  refusal: RedisAwayError | undefined;
  /** Open from the loss of a connection until its next server has said what time it is. */
  meeting: Promise<void> | undefined;
  /** What the time should be now, Unix ms; for connections that a clock goes by. */
  expected: (() => number) | undefined;
  onJump: ((ms: number) => void) | undefined;
}

/** Of the connections that were made by redis-connection.ts. */
const met = new WeakMap<Redis, Met>();

/**
 * Asks each server that a connection comes to by how much its clock is to be corrected, see meet-server.lua, before any
 * script that tells the time is sent to it. Never throws: where Redis fails, or its user may not do it, the server's own
 * clock counts.
 */
export function correctClock(redis: Redis): void {
  const state: Met = {
    correction: 0,
    since: 0,
    refusal: undefined,
    meeting: undefined,
    expected: undefined,
    onJump: undefined,
  };
  met.set(redis, state);
  let end: () => void = () => undefined;
  const begin = () => {
    end();
    state.meeting = new Promise((resolve) => {
      end = () => {
        state.meeting = undefined;
        state.refusal = undefined;
        resolve();
      };
    });
  };
  redis.on('connect', begin);
  redis.on('close', () => end());
  redis.on('ready', () => {
    const ours = end;
    void meetInTheEnd(redis, state)
      .catch(() => undefined)
      .finally(ours);
  });
}

/** By how many ms the clock of the server is corrected that a connection goes to. */
export function correctionOf(redis: Redis): number {
  return met.get(redis)?.correction ?? 0;
}

/**
 * When the server that the connection goes to took the place of another primary, Unix ms: whatever was admitted before was
 * admitted there, and what was done to it since then may be lost. 0 where it took the place of none.
 */
export function promotedAt(redis: Redis): number {
  return met.get(redis)?.since ?? 0;
}

/**
 * What has to be waited for before a script that tells the time is sent; nothing in all but the first moments.
 *
 * @throws from what it returns, RedisAwayError where the server has not said what time it is: it takes no writes yet, or
 *   others who know the time have not met it
 */
export function meetingOf(redis: Redis): Promise<void> | undefined {
  const state = redis.status === 'ready' ? met.get(redis) : undefined;
  if (state?.meeting === undefined) return undefined;
  if (state.refusal) return Promise.reject(state.refusal);
  return within(MET_WITHIN_MS, state.meeting, () => {
    throw new RedisAwayError('the time of this server is not known yet', { replied: true });
  });
}

/** Whether a script that tells the time can be sent now, with nothing to wait for. */
export function isMet(redis: Redis): boolean {
  return redis.status === 'ready' && met.get(redis)?.meeting === undefined;
}

/**
 * Lets a connection say what the time should be.
 *
 * @param onJump called with how far a new server's clock is ahead, ms, where that is notable
 */
export function expectTime(redis: Redis, expected: () => number, onJump: ((ms: number) => void) | undefined): void {
  const state = met.get(redis);
  if (!state) return;
  state.expected = expected;
  state.onJump = onJump;
}

/** Until the server takes the note; what tells the time is refused meanwhile. */
async function meetInTheEnd(redis: Redis, state: Met): Promise<void> {
  for (let waitMs = LOOK_EVERY_MS; redis.status === 'ready'; waitMs = Math.min(2 * waitMs, LOOK_MOST_MS)) {
    try {
      return await meet(redis, state);
    } catch (error) {
      const refusal = nameRedisAway(error as Error);
      // A user who may not do it, or a server that knows no scripts, stays as it is.
      if (!(refusal instanceof RedisAwayError)) return;
      state.refusal = refusal;
      await delay(waitMs);
    }
  }
}

async function meet(redis: Redis, state: Met): Promise<void> {
  const info = await redis.info();
  const server = /^run_id:(\w+)/m.exec(info)?.[1];
  // Some managed servers do not say which they are: there is nothing to tell them apart by.
  if (server === undefined) return;
  const wasReplica = !NEVER_PROMOTED.test(/^master_replid2:(\w+)/m.exec(info)?.[1] ?? '');
  const until = performance.now() + LET_OTHERS_MS;
  for (;;) {
    const expected = state.expected ? String(Math.round(state.expected())) : '';
    const decides = expected !== '' || performance.now() > until ? '1' : '0';
    const args = [server, wasReplica ? '1' : '0', expected, decides];
    const [correction, jump = 0, since = 0] = (await redis.eval(SOURCE, 1, redisKeys.clock, ...args)) as number[];
    if (correction !== undefined) {
      const isNew = state.correction !== correction;
      state.correction = correction;
      state.since = since;
      if (isNew && Math.abs(jump) >= NOTABLE_JUMP_MS) state.onJump?.(jump);
      return;
    }
    if (redis.status !== 'ready') return;
    await delay(LOOK_EVERY_MS);
  }
}
