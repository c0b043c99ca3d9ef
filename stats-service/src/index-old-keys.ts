import { indexMissingKeys } from '@lontar/shared/keys/index-keys.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';

const RETRY_MS = 5_000;

/**
 * Indexes, in the background, the API keys that an earlier version of Lontar has made, so that the first list does not have
 * to. Never throws: where Redis fails, it tries again until it is stopped.
 */
export function indexOldKeys(redis: Redis, logger: Logger): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async () => {
    try {
      const count = await indexMissingKeys(redis);
      if (count > 0) logger.info({ count }, 'indexed API keys of an earlier version');
    } catch (error) {
      logger.debug({ err: error }, 'API keys could not be indexed yet');
      if (!stopped) timer = setTimeout(() => void run(), RETRY_MS);
    }
  };
  void run();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
