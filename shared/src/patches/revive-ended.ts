import type { Redis } from 'ioredis';
import { NOT_READY_MS } from '../time-budget.ts';

const REVIVE_AFTER_MS = 100;

/**
 * Makes a connection anew that ioredis has given up, or that is not ready for so long. `end` is its last state: a
 * command that comes then is refused for ever, and BullMQ's worker on such a connection says that it runs and takes nothing
 * (taskforcesh/bullmq#4378). A connection that was closed on purpose stays closed.
 *
 * Wraps `connect`, `disconnect` and `quit`, and reads `status`: checked with ioredis 6.0.0. revive-ended.int.test.ts fails
 * where a connection ends another way.
 *
 * Never throws. What is tried again in vain is told to listeners of `error`.
 *
 * @param notReadyMs for tests
 */
export function reviveEnded(redis: Redis, notReadyMs = NOT_READY_MS): void {
  // Until it is connected for the first time there is nothing to revive.
  let isWanted = false;
  let notReady: NodeJS.Timeout | undefined;
  const [connect, disconnect, quit] = [redis.connect.bind(redis), redis.disconnect.bind(redis), redis.quit.bind(redis)];
  const stopWaiting = () => {
    clearTimeout(notReady);
    notReady = undefined;
  };
  const renew = () => {
    notReady = undefined;
    if (!isWanted || redis.status === 'ready') return;
    if (redis.listenerCount('error') > 0)
      redis.emit('error', new Error(`a connection to Redis was not ready for ${notReadyMs} ms, and is made anew`));
    // With `true` it connects again by itself, except where it was still asking where to: then it ends, see below.
    if (redis.status === 'end') void connect().catch(() => undefined);
    else disconnect(true);
    wait();
  };
  const wait = () => {
    notReady ??= setTimeout(renew, notReadyMs).unref();
  };

  redis.connect = (...args: Parameters<Redis['connect']>) => {
    isWanted = true;
    wait();
    return connect(...args);
  };
  redis.disconnect = (reconnect = false) => {
    if (!reconnect) isWanted = false;
    disconnect(reconnect);
  };
  redis.quit = (...args: Parameters<Redis['quit']>) => {
    isWanted = false;
    return quit(...args);
  };
  redis.on('ready', stopWaiting);
  redis.on('close', () => {
    if (isWanted) wait();
  });
  redis.on('end', () => {
    stopWaiting();
    if (!isWanted) return;
    setTimeout(() => {
      if (isWanted && redis.status === 'end') void redis.connect().catch(() => undefined);
    }, REVIVE_AFTER_MS).unref();
  });
}
