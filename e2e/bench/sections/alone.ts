import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addressBits } from '@lontar/shared/address.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { newRequestId } from '@lontar/shared/request-id.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import { admit } from '../../../gateway/src/admission/admit.ts';
import { startBenchRedis } from '../processes/bench-redis.ts';
import type { Alone } from '../results.ts';
import { answerText } from '../wish.ts';

const run = promisify(execFile);
const CALLS = 20_000;
/** In flight together, as they are under load. */
const TOGETHER = 50;

/** Admission and settlement on a Redis that does nothing else, and masking on a core of its own. */
export async function measureAlone(): Promise<Alone> {
  return { ...(await measureScripts()), ...(await measureMasking()) };
}

async function measureScripts(): Promise<Pick<Alone, 'admissionMicros' | 'settlementMicros'>> {
  const redis = await startBenchRedis();
  try {
    await redis.client.hset(redisKeys.apiKey('bench'), { hash: 'hash', state: 'active', concurrency: 10_000 });
    await redis.client.xadd(redisKeys.inbox('bench'), '*', 'opened', '1');
    const rules = { perHour: 1_000_000, banAfterBadKeys: 20, maxWaiting: 1_000, reservationMs: 125_000 };
    const address = '192.0.2.1';
    const settlement = {
      v: 1,
      outcome: 'answered',
      text: answerText(2_048),
      masked: { url: 0, key: 0, ip: 0, connection: 0 },
      usage: { input: 11, output: 7 },
      work: { attempts: 1, queuedMs: 3, modelMs: 4, maskMs: 0.05, promptPreview: 'Tell me about palm leaves.' },
    } as const;
    let [admission, settling] = [0, 0];
    for (let done = 0; done < CALLS; done += TOGETHER) {
      const ids = Array.from({ length: TOGETHER }, newRequestId);
      const before = await scriptMicros(redis.client);
      await Promise.all(
        ids.map((requestId) =>
          admit(redis.client, rules, {
            mode: 'generate',
            ...{ requestId, address, addressBits: addressBits(address) ?? '', model: 'ai-2.5-flash' },
            key: { id: 'bench', hash: 'hash' },
          }),
        ),
      );
      const between = await scriptMicros(redis.client);
      await Promise.all(
        ids.map((requestId) =>
          settle(redis.client, { requestId, keyId: 'bench', settlement, attempt: 1, replyTo: 'bench' }),
        ),
      );
      admission += between - before;
      settling += (await scriptMicros(redis.client)) - between;
    }
    return { admissionMicros: admission / CALLS, settlementMicros: settling / CALLS };
  } finally {
    await redis.stop();
  }
}

/** Time that Redis has spent in scripts, by its own count, µs. */
async function scriptMicros(redis: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
}

async function measureMasking(): Promise<Pick<Alone, 'maskingMegabytesPerSecond' | 'maskingRatio'>> {
  const script = fileURLToPath(new URL('../masking/speed.ts', import.meta.url));
  const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', script, '2']);
  // The first round compiles; the last one counts.
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const [, speed, ratio] = /mask ([\d.]+) MB\/s, .* ratio ([\d.]+)/.exec(last) ?? [];
  return { maskingMegabytesPerSecond: Number(speed), maskingRatio: Number(ratio) };
}
