import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';

const nextSweepScript = loadScript(new URL('./next-sweep.lua', import.meta.url));
const SWEEP_MS = 5_000;
const AT_ONCE = 100;

/**
 * Settles reservations whose time is over and that no process settled: their gateway died between admission and answer.
 * Every gateway sweeps; settling is idempotent, so they may meet.
 *
 * @param now Unix ms by Redis's clock
 * @returns how many were settled
 * @throws when Redis fails; what was not settled is found by the next round
 */
export async function sweepReservations(redis: Redis, now: number, freeFailuresPerHour: number): Promise<number> {
  let swept = 0;
  for (;;) {
    const due = await redis.zrangebyscore(redisKeys.keysInFlight, '-inf', now, 'LIMIT', 0, AT_ONCE);
    const counts = await Promise.all(due.map((keyId) => sweepKey(redis, keyId, now, freeFailuresPerHour)));
    swept += counts.reduce((sum, count) => sum + count, 0);
    if (due.length < AT_ONCE) return swept;
  }
}

async function sweepKey(redis: Redis, keyId: string, now: number, freeFailuresPerHour: number): Promise<number> {
  const flight = redisKeys.keyFlight(keyId);
  let swept = 0;
  for (;;) {
    const overdue = await redis.zrangebyscore(flight, '-inf', now, 'LIMIT', 0, AT_ONCE);
    for (const requestId of overdue) {
      const settlement = { v: 1, outcome: 'failed', error: 'timed_out' } as const;
      const result = await settle(redis, { requestId, keyId, settlement, freeFailuresPerHour, cancel: true });
      if (result.kind === 'settled') swept++;
      else await redis.zrem(flight, requestId);
    }
    if (overdue.length < AT_ONCE) break;
  }
  await nextSweepScript(redis, [redisKeys.keysInFlight, flight], [keyId]);
  return swept;
}

/** Sweeps every few seconds until stopped. */
export function startSweeper(sweep: () => Promise<number>, onSwept: (count: number) => void): { stop(): void } {
  const timer = setInterval(() => {
    sweep().then(
      (count) => {
        if (count > 0) onSwept(count);
      },
      // Redis is away; its absence is reported elsewhere, and the next round comes soon.
      () => undefined,
    );
  }, SWEEP_MS);
  return { stop: () => clearInterval(timer) };
}
