import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addressBits } from '@lontar/shared/address.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { newRequestId } from '@lontar/shared/request-id.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import { admit } from '../../../gateway/src/admission/admit.ts';
import { median } from '../measure.ts';
import { startBenchRedis } from '../processes/bench-redis.ts';
import type { Alone } from '../results.ts';
import { answerText } from '../wish.ts';

const run = promisify(execFile);
const CALLS = 20_000;
/** In flight together, as they are under load. */
const TOGETHER = 50;
const ANSWER = answerText(2_048);

/** Admission and settlement on a Redis that does nothing else, and masking on a core of its own. */
export async function measureAlone(): Promise<Alone> {
  return { ...(await measureScripts()), ...(await measureMasking()) };
}

/** A key that may have many in flight and nothing else of its own, and one with every limit there is. */
const KEYS = {
  plain: { concurrency: 10_000 },
  limited: {
    concurrency: 10_000,
    perHour: 1_000_000,
    perDay: 1_000_000,
    credits: 1_000_000,
    maxOutputTokens: 1_000,
    expiresAt: Date.now() + 86_400_000,
    models: 'ai-2.5-flash,ai-2.5-pro',
    addressBits: addressBits('192.0.2.0/24') ?? '',
  },
};

type ScriptTimes = Omit<Alone, 'maskingMegabytesPerSecond' | 'maskingRatio'>;

/** Batches of all kinds follow each other, so that a change of the machine's pace meets all of them. */
async function measureScripts(): Promise<ScriptTimes> {
  const redis = await startBenchRedis();
  try {
    const { client } = redis;
    for (const [id, limits] of Object.entries(KEYS)) {
      await client.hset(redisKeys.apiKey(id), { hash: 'hash', state: 'active', ...limits });
    }
    await client.xadd(redisKeys.inbox('bench'), '*', 'opened', '1');
    const nothing = String(await client.script('LOAD', 'return 1'));
    const spent: { readonly [batch in 'nothing' | 'plain' | 'limited' | 'settling']: number[] } = {
      nothing: [],
      plain: [],
      limited: [],
      settling: [],
    };
    for (let done = 0; done < CALLS; done += TOGETHER) {
      for (const keyId of ['plain', 'limited'] as const) {
        const ids = Array.from({ length: TOGETHER }, newRequestId);
        spent.nothing.push(await microsOf(client, ids, (id) => client.evalsha(nothing, ...asMuchAsAdmission(id))));
        spent[keyId].push(await microsOf(client, ids, (id) => ask(client, id, keyId)));
        spent.settling.push(await microsOf(client, ids, (id) => answer(client, id, keyId)));
        await client.del(queueKeys.waiting, ...ids.map(queueKeys.job));
      }
    }
    return {
      emptyScriptMicros: median(spent.nothing),
      admissionMicros: median(spent.plain),
      limitedAdmissionMicros: median(spent.limited),
      settlementMicros: median(spent.settling),
    };
  } finally {
    await redis.stop();
  }
}

const ADDRESS = '192.0.2.1';
const RULES = { perHour: 1_000_000, banAfterBadKeys: 20, maxWaiting: 1_000, reservationMs: 125_000 };

const JOB = {
  beginning: `{"prompt":"${'Tell me about palm leaves. '.repeat(8)}","maxOutputTokens":`,
  maxOutputTokens: 9,
};

async function ask(redis: Redis, requestId: string, keyId: string): Promise<void> {
  const { decision } = await admit(redis, RULES, {
    mode: 'generate',
    ...{ requestId, address: ADDRESS, addressBits: addressBits(ADDRESS) ?? '', model: 'ai-2.5-flash' },
    key: { id: keyId, hash: 'hash' },
    job: JOB,
  });
  if (decision !== 'admitted') throw new Error(`Measured a request that was not admitted: ${decision}.`);
}

function answer(redis: Redis, requestId: string, keyId: string): Promise<unknown> {
  const settlement = {
    v: 1,
    outcome: 'answered',
    text: ANSWER,
    masked: { url: 0, key: 0, ip: 0, connection: 0 },
    usage: { input: 11, output: 7 },
    work: { attempts: 1, queuedMs: 3, modelMs: 4, maskMs: 0.05, promptPreview: 'Tell me about palm leaves.' },
  } as const;
  return settle(redis, { requestId, keyId, settlement, attempt: 1, replyTo: 'bench' });
}

/** As many keys and arguments as admission has, of about its lengths. */
function asMuchAsAdmission(requestId: string): [keys: number, ...(string | number)[]] {
  const keys = Array.from({ length: 13 }, () => redisKeys.request(requestId));
  return [keys.length, ...keys, ...Array.from({ length: 14 }, () => requestId)];
}

/** Time that Redis spends in the scripts of one call, of some that are sent together, by its own count, µs. */
async function microsOf(
  redis: Redis,
  ids: readonly string[],
  send: (requestId: string) => Promise<unknown>,
): Promise<number> {
  const before = await scriptMicros(redis);
  await Promise.all(ids.map(send));
  return ((await scriptMicros(redis)) - before) / ids.length;
}

/** Time that Redis has spent in scripts, by its own count, µs. */
async function scriptMicros(redis: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
}

async function measureMasking(): Promise<Pick<Alone, 'maskingMegabytesPerSecond' | 'maskingRatio'>> {
  const script = fileURLToPath(new URL('../masking/speed.ts', import.meta.url));
  const { stdout } = await run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    script,
    `${MASKING_ROUNDS}`,
  ]);
  // Of a worker that has been up for a while: the first rounds compile.
  const rounds = [...stdout.matchAll(/mask ([\d.]+) MB\/s, .* ratio ([\d.]+)/g)].slice(MASKING_WARM_UP);
  return {
    maskingMegabytesPerSecond: median(rounds.map(([, speed]) => Number(speed))),
    maskingRatio: median(rounds.map(([, , ratio]) => Number(ratio))),
  };
}

const MASKING_ROUNDS = 24;
const MASKING_WARM_UP = 9;
