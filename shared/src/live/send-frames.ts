import { GENERATION_JOB } from '../generation-job.ts';
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
  /** Number of the stream; 0 where its gateway takes none. */
  readonly number: number;
  readonly gateway: string;
  /** As `writeNumbered` writes them, or, without a number, as `joinFrames`. */
  readonly frames: string;
}

/** What goes to one gateway. */
export interface InboxFrames {
  /** Of this worker's entries for that gateway, each one more than the one before. */
  readonly sequence: number;
  /** Numbered pieces (`writeNumbered`) of streams that this gateway waits for. */
  readonly own: string;
  /** The same of streams that it follows. */
  readonly followed: string;
  /** As `joinFrames` writes them, for a gateway that takes no numbers. */
  readonly json: string;
}

export interface FrameBatch {
  /** By gateway, those of the first frames included. */
  readonly inboxes: ReadonlyMap<string, InboxFrames>;
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
 * @param worker whose streams they are
 * @throws when Redis fails; whether frames were sent, noted in the journal, and are visible, is then unknown
 */
export async function sendFrames(redis: Redis, worker: string, { inboxes, firsts }: FrameBatch): Promise<FramesSent> {
  const gateways = [...inboxes.keys()];
  const keys = [redisKeys.streamJournal(worker), ...gateways.map(redisKeys.inbox)];
  const args: (string | number)[] = [gateways.length, firsts.length, GENERATION_JOB.resultTtlMs];
  for (const { sequence, own, followed, json } of inboxes.values()) args.push(sequence, own, followed, json);
  for (const { requestId, keyId, start, number, gateway, frames } of firsts) {
    keys.push(redisKeys.request(requestId), redisKeys.keyFlight(keyId));
    args.push(requestId, start, gateways.indexOf(gateway) + 1, number, frames);
  }
  const [standings, taken] = (await sendFramesScript(redis, keys, args)) as [FirstStanding[], number[]];
  return { firsts: standings, taken: new Set(gateways.filter((_, index) => taken[index] === 1)) };
}
