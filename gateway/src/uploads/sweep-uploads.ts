import type { Logger } from '@lontar/shared/logger.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { UploadStorage } from './storage/upload-storage.ts';
import { abandonUpload, forgetUpload, LEASE_MS, overdueUploads, renewLeases } from './upload-ledger.ts';

const ROUND_MS = LEASE_MS / 3;
const LEFTOVERS_EVERY_MS = 300_000;
const AT_ONCE = 100;

export interface SweeperDeps {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly storage: UploadStorage;
  readonly logger: Logger;
}

/** Sees to it that every upload is either kept or leaves nothing behind, whatever dies in between. */
export interface UploadSweeper {
  /** Renews the lease of an upload in work until it is let go. */
  hold(id: string): void;
  letGo(id: string): void;
  /** Gives an upload back and removes its content, now if Redis and storage answer, else in a later round. */
  discard(id: string): Promise<void>;
  /** One round: renew, then discard what is overdue, of whichever gateway. */
  sweep(): Promise<void>;
  stop(): void;
}

/** Starts the rounds. Every gateway makes them; all steps are idempotent, so they may meet. */
export function startUploadSweeper({ redis, clock, storage, logger }: SweeperDeps): UploadSweeper {
  const held = new Set<string>();
  /** Of this gateway, not in the sorted set perhaps: their outcome is unknown because Redis went away. */
  const unfinished = new Set<string>();

  const discard = async (id: string) => {
    unfinished.add(id);
    await abandonUpload(redis, id);
    await storage.remove(id);
    await forgetUpload(redis, id);
    unfinished.delete(id);
  };
  const sweep = async () => {
    await renewLeases(redis, [...held], clock.now());
    const overdue = await overdueUploads(redis, clock.now(), AT_ONCE);
    for (const id of new Set([...unfinished, ...overdue])) {
      await discard(id);
      logger.info({ upload: id }, 'removed what was left of an upload');
    }
  };
  const removeLeftovers = () =>
    storage.removeLeftovers().catch((error: unknown) => {
      logger.warn({ err: error, storage: storage.kind }, 'the upload storage cannot be swept');
    });

  void removeLeftovers();
  // A failed round is repeated by the next one; Redis's absence is reported elsewhere.
  const rounds = setInterval(() => void sweep().catch(() => undefined), ROUND_MS);
  const leftovers = setInterval(() => void removeLeftovers(), LEFTOVERS_EVERY_MS);
  return {
    hold: (id) => void held.add(id),
    letGo: (id) => void held.delete(id),
    discard: (id) =>
      discard(id).catch((error: unknown) => {
        logger.warn({ err: error, upload: id }, 'an upload could not be removed yet');
      }),
    sweep,
    stop() {
      clearInterval(rounds);
      clearInterval(leftovers);
    },
  };
}
