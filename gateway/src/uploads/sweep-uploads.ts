import { askAtStart } from '@lontar/shared/ask-at-start.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { throttledWarning } from '@lontar/shared/throttled-log.ts';
import type { UploadStorage } from './storage/upload-storage.ts';
import { countUploads, isCounted, storedBytes, watchExpiry } from './stored-uploads.ts';
import { abandonUpload, expireUpload, forgetUpload, LEASE_MS, overdueUploads, renewLeases } from './upload-ledger.ts';

const ROUND_MS = LEASE_MS / 3;
const LEFTOVERS_EVERY_MS = 300_000;
/** Gateways of the version before may keep uploads for a while after this one has started. */
const COUNT_EVERY_MS = 3_600_000;
const AT_ONCE = 100;

export interface SweeperDeps {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly storage: UploadStorage;
  readonly logger: Logger;
  /** How long an upload is kept, ms; 0 for ever. */
  readonly ttlMs: number;
  /** Called in each round with how many bytes uploads take in all. */
  readonly onStored: (bytes: number) => void;
}

/**
 * Sees to it that every upload is either kept or leaves nothing behind, whatever dies in between, and that none is kept
 * for longer than it may.
 */
export interface UploadSweeper {
  /** Renews the lease of an upload in work until it is let go. */
  hold(id: string): void;
  letGo(id: string): void;
  /** Gives an upload back and removes its content, now if Redis and storage answer, else in a later round. */
  discard(id: string): Promise<void>;
  /** One round: renew, hide what may not be kept any longer, then discard what is overdue, of whichever gateway. */
  sweep(): Promise<void>;
  stop(): void;
}

/**
 * Starts the rounds. Every gateway makes them; all steps are idempotent, so they may meet. Uploads that are not counted
 * yet are counted first, so that no limit is judged without them.
 *
 * @throws when Redis fails for ten seconds before the first round; failures of later rounds are repeated by the next one
 */
export async function startUploadSweeper(deps: SweeperDeps): Promise<UploadSweeper> {
  const { redis, clock, storage, logger, ttlMs, onStored } = deps;
  const held = new Set<string>();
  /** Of this gateway, not in the sorted set perhaps: their outcome is unknown because Redis went away. */
  const unfinished = new Set<string>();

  const expiry = watchExpiry(redis, ttlMs);
  const warn = throttledWarning(logger, 'an upload could not be removed yet');

  /** Each on its own: what fails for one must not keep the others. Gives the ids for which it did not fail. */
  const each = async (ids: readonly string[], act: (id: string) => Promise<void>) => {
    const results = await Promise.allSettled(ids.map(act));
    for (const result of results) if (result.status === 'rejected') warn(result.reason);
    return ids.filter((_id, index) => results[index]?.status === 'fulfilled');
  };
  const giveBack = async (id: string) => {
    unfinished.add(id);
    // From here on the sorted set knows it, until it is forgotten.
    if (await abandonUpload(redis, id)) unfinished.delete(id);
  };
  const remove = async (id: string) => {
    await storage.remove(id);
    await forgetUpload(redis, id);
    unfinished.delete(id);
  };
  /** Gives the ids of which nothing is left. */
  const discard = async (ids: readonly string[]) => {
    // All of them first: a place of the day must not wait for the storage.
    const givenBack = await each(ids, giveBack);
    // To the end of the line, or those that cannot be removed would keep others from their turn for ever.
    await renewLeases(redis, ids, clock.now());
    return each(givenBack, remove);
  };
  let counting: Promise<number> | undefined;
  // A round does not wait for the one before: a long count must not be made twice.
  const count = () => {
    counting ??= countUploads(redis).finally(() => {
      counting = undefined;
    });
    return counting;
  };
  const hideExpired = async () => {
    const expired = await expiry.next(clock.now());
    const hidden = await each(expired, (id) => expireUpload(redis, id));
    if (hidden.length > 0) logger.info({ count: hidden.length }, 'hid uploads that may not be kept any longer');
  };
  const sweep = async () => {
    await renewLeases(redis, [...held], clock.now());
    // A restore takes the count away.
    if (!(await isCounted(redis))) await count();
    await hideExpired();
    onStored(await storedBytes(redis));
    const overdue = await overdueUploads(redis, clock.now(), AT_ONCE);
    const removed = await discard([...new Set([...unfinished, ...overdue])]);
    for (const id of removed) logger.info({ upload: id }, 'removed what was left of an upload');
  };
  const removeLeftovers = () =>
    storage.removeLeftovers().catch((error: unknown) => {
      logger.warn({ err: error, storage: storage.kind }, 'the upload storage cannot be swept');
    });

  await askAtStart(redis, async () => {
    if (await isCounted(redis)) void count().catch(() => undefined);
    else await count();
    onStored(await storedBytes(redis));
  });
  void removeLeftovers();
  // A failed round is repeated by the next one; Redis's absence is reported elsewhere.
  const timers = [
    setInterval(() => void sweep().catch(() => undefined), ROUND_MS),
    setInterval(() => void removeLeftovers(), LEFTOVERS_EVERY_MS),
    setInterval(() => void count().catch(() => undefined), COUNT_EVERY_MS),
  ];
  return {
    hold: (id) => void held.add(id),
    letGo: (id) => void held.delete(id),
    discard: async (id) => void (await discard([id]).catch(warn)),
    sweep,
    stop: () => timers.forEach(clearInterval),
  };
}
