import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { parseSettlement, type Settlement } from '@lontar/shared/settlement/settlement.ts';
import PQueue from 'p-queue';
import { createRecentAnswers, type FoundAnswer } from './recent-answers.ts';

const readAnswerScript = loadScript(new URL('./read-answer.lua', import.meta.url));
/** Answers that are read at once: each may be hundreds of kilobytes, and many readers may miss something together. */
const MOST_AT_ONCE = 8;

/**
 * Characters that are read in a millisecond, at each of these places: readers of very long answers who are slow ask for
 * all of it again and again, and must not keep Redis and this process from others.
 */
const CHARS_PER_MS = 2_000;

/** Looks for what readers have missed. */
export interface AnswerFinder {
  /**
   * Readers of one answer share what was found a moment ago, so that many of them, and slow ones, cost one reading.
   *
   * @param wanted `settled` where it is known to be settled: what was found before that is of no use then
   * @returns `undefined` where Redis cannot be asked, or holds a form that this version cannot read; never rejects
   */
  find(requestId: string, wanted?: 'settled'): Promise<FoundAnswer | undefined>;
}

/**
 * Never throws: where Redis fails, nothing is found, and readers look again.
 *
 * @param onRedisFailure called with each failure of Redis; must not flood the log
 */
export function createAnswerFinder(redis: Redis, onRedisFailure: (error: unknown) => void): AnswerFinder {
  const line = new PQueue({ concurrency: MOST_AT_ONCE });
  const read = async (requestId: string): Promise<FoundAnswer | undefined> => {
    const keys = [
      redisKeys.request(requestId),
      redisKeys.partial(requestId, 'reasoning'),
      redisKeys.partial(requestId, 'text'),
    ];
    const reply = (await readAnswerScript(redis, keys, [])) as ['settled', string] | ['open', string, string];
    if (reply[0] === 'settled') return parseSettlement(reply[1]);
    return { reasoning: reply[1], text: reply[2] };
  };
  /** Gives what was found at once; its place stays taken for as long as so much may take. */
  const inTurn = (look: () => Promise<FoundAnswer | undefined>): Promise<FoundAnswer | undefined> =>
    new Promise((resolve, reject) => {
      void line.add(async () => {
        const looking = look();
        looking.then(resolve, reject);
        const found = await looking.catch(() => undefined);
        await delay(lengthOf(found) / CHARS_PER_MS, undefined, { ref: false });
      });
    });
  const recent = createRecentAnswers();
  const asked = new Map<string, Promise<FoundAnswer | undefined>>();
  const findAnew = async (requestId: string): Promise<FoundAnswer | undefined> => {
    try {
      const found = await inTurn(() => read(requestId));
      if (found !== undefined) recent.keep(requestId, found);
      return found;
    } catch (error) {
      onRedisFailure(error);
      return undefined;
    } finally {
      asked.delete(requestId);
    }
  };
  const share = (requestId: string) => {
    const found = asked.get(requestId) ?? findAnew(requestId);
    asked.set(requestId, found);
    return found;
  };
  return {
    async find(requestId, wanted) {
      const serves = (found: FoundAnswer) => wanted === undefined || isSettled(found);
      const known = recent.get(requestId);
      if (known && serves(known)) return known;
      const found = await share(requestId);
      // It was read before the settlement.
      return found === undefined || serves(found) ? found : share(requestId);
    },
  };
}

function lengthOf(found: FoundAnswer | undefined): number {
  if (!found || ('outcome' in found && found.outcome === 'failed')) return 0;
  return found.text.length + (found.reasoning?.length ?? 0);
}

export function isSettled(found: FoundAnswer): found is Settlement {
  return 'outcome' in found;
}
