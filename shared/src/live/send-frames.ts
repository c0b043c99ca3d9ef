import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';

const sendFramesScript = loadScript(new URL('./send-frames.lua', import.meta.url));

/** Frames of a start of which nothing is known to be visible yet. */
export interface FirstFrames {
  readonly requestId: string;
  readonly keyId: string;
  /** Number of the job's start. */
  readonly start: number;
  readonly gateway: string;
  /** As `joinFrames` writes them. */
  readonly frames: string;
}

export interface FrameBatch {
  /** By gateway: frames of starts that are visible, as `joinFrames` writes them. */
  readonly others: ReadonlyMap<string, string>;
  readonly firsts: readonly FirstFrames[];
}

/**
 * `visible`: this start's later frames may follow. `refused`: another start's text was shown, or the request is settled:
 * nothing of this one may be. `later`: its gateway took nothing, and nothing is visible by it.
 */
export type FirstStanding = 'visible' | 'refused' | 'later';

export interface FramesSent {
  /** One for each of the first frames, in their order. */
  readonly firsts: readonly FirstStanding[];
  /** Gateways that took their frames. */
  readonly taken: ReadonlySet<string>;
}

/** Frames that were written one by one, as the batch takes them. */
export function joinFrames(frames: readonly string[]): string {
  return frames.join(',');
}

/**
 * Sends frames to gateways, one entry for each inbox, and asks about the first ones whether they may be visible. See
 * send-frames.lua for the contract.
 *
 * @throws when Redis fails; whether frames were sent, and are visible, is then unknown
 */
export async function sendFrames(redis: Redis, { others, firsts }: FrameBatch): Promise<FramesSent> {
  const gateways = [...new Set([...others.keys(), ...firsts.map(({ gateway }) => gateway)])];
  const keys = gateways.flatMap((gateway) => [redisKeys.inbox(gateway), redisKeys.inboxBytes(gateway)]);
  const args: (string | number)[] = [gateways.length, firsts.length];
  for (const gateway of gateways) args.push(others.get(gateway) ?? '');
  for (const { requestId, keyId, start, gateway, frames } of firsts) {
    keys.push(redisKeys.request(requestId), redisKeys.keyFlight(keyId));
    args.push(requestId, start, gateways.indexOf(gateway) + 1, frames);
  }
  const [standings, taken] = (await sendFramesScript(redis, keys, args)) as [FirstStanding[], number[]];
  return { firsts: standings, taken: new Set(gateways.filter((_, index) => taken[index] === 1)) };
}
