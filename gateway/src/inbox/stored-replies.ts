import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { Waiters } from './waiters.ts';

/** Bytes of settlements that are read at once; one that is longer is read alone. */
const MOST_BYTES = 8_388_608;

/** A settlement that a reply has named. */
interface Named {
  readonly requestId: string;
  readonly bytes: number;
}

/**
 * Reads settlements that replies have named, for those who wait for them. Never throws: what Redis does not give is found as every
 * lost reply is, when its waiters are overdue.
 *
 * @param deliver takes each settlement, as JSON
 * @returns takes the name of one, and how many bytes it has
 */
export function readStored(
  redis: Redis,
  waiters: Pick<Waiters, 'has'>,
  deliver: (requestId: string, json: Buffer) => void,
): (requestId: string, bytes: number) => void {
  const named: Named[] = [];
  let reading = 0;

  async function read({ requestId, bytes }: Named): Promise<void> {
    reading += bytes;
    try {
      const json = await redis.hgetBuffer(redisKeys.request(requestId), 'result');
      if (json) deliver(requestId, json);
    } catch {
      // Overdue, and looked for, within a second or two.
    }
    reading -= bytes;
    readNext();
  }

  function readNext(): void {
    while (named.length > 0 && (reading === 0 || reading + (named[0]?.bytes ?? 0) <= MOST_BYTES)) {
      const next = named.shift();
      if (next && waiters.has(next.requestId)) void read(next);
    }
  }

  return (requestId, bytes) => {
    named.push({ requestId, bytes });
    readNext();
  };
}
