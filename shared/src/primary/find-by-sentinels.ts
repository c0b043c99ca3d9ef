import { REDIS_CONNECT_TIMEOUT_MS } from '../time-budget.ts';
import { within } from '../within.ts';
import { askNode } from './ask-node.ts';
import { explainRedisFailure } from './explain-failure.ts';
import { NoPrimaryError } from './primary-error.ts';
import { listOf, type RedisNode, type SentinelAddress, showNode } from './redis-address.ts';
import type { RedisTls } from './redis-tls.ts';

/** What one Sentinel says. */
export interface SentinelAnswer {
  readonly sentinel: RedisNode;
  /** Where it says the primary is; absent where it knows none of that name, or did not answer. */
  readonly primary?: RedisNode;
  /** Grows with each failover: of two answers the one with the higher epoch is the later. */
  readonly epoch?: number;
  /** How many Sentinels have to agree that the primary is down. */
  readonly quorum?: number;
  /** Sentinels that it knows, itself included. */
  readonly sentinels?: number;
  /** Replicas that it has known, those that are away included. */
  readonly replicas?: number;
  /** Whether it is about to make another server the primary in the place of the one that it names. */
  readonly isFailingOver?: boolean;
  /** Why it did not answer. */
  readonly failure?: unknown;
}

/**
 * Asks Sentinels for the primary, all at once; one that is away delays nothing where most of them agree.
 *
 * @throws NoPrimaryError where none answers, none knows the name, or two name different primaries of the same epoch
 */
export async function findBySentinels(address: SentinelAddress, tls: RedisTls | undefined): Promise<RedisNode> {
  const { nodes } = address;
  const answers: SentinelAnswer[] = [];
  const agreed = new Promise<RedisNode | undefined>((resolve) => {
    for (const node of nodes) {
      void askSentinel(node, address, tls).then((answer) => {
        answers.push(answer);
        const same = answers.filter((other) => isSame(other, answer)).length;
        if (answer.primary && same * 2 > nodes.length) resolve(answer.primary);
        if (answers.length === nodes.length) resolve(undefined);
      });
    }
  });
  return (await agreed) ?? choosePrimary(address, answers);
}

/**
 * What each Sentinel says, in the order of the address.
 *
 * Never rejects: one that fails, or does not answer in so many ms, says so.
 */
export function askSentinels(
  address: SentinelAddress,
  tls: RedisTls | undefined,
  ms: number = REDIS_CONNECT_TIMEOUT_MS,
): Promise<SentinelAnswer[]> {
  const late = (sentinel: RedisNode) => () => ({ sentinel, failure: new Error('it gives no answer') });
  return Promise.all(address.nodes.map((node) => within(ms, askSentinel(node, address, tls), late(node))));
}

/**
 * The primary that the latest answers name.
 *
 * @throws NoPrimaryError, see `findBySentinels`
 */
export function choosePrimary(
  address: Pick<SentinelAddress, 'nodes' | 'primary'>,
  answers: readonly SentinelAnswer[],
): RedisNode {
  const latest = Math.max(...answers.map(({ epoch = -1 }) => epoch));
  const named = answers.filter(({ primary, epoch }) => primary && epoch === latest);
  const [first] = named;
  if (!first?.primary) throw new NoPrimaryError(whyNone(address, answers));
  const other = named.find((answer) => !isSame(answer, first));
  if (!other?.primary) return first.primary;
  throw new NoPrimaryError(
    `The Sentinels disagree: ${showNode(first.sentinel)} names ${showNode(first.primary)} as ${address.primary}, ` +
      `${showNode(other.sentinel)} names ${showNode(other.primary)}; make all of them watch the same primary.`,
  );
}

function whyNone(address: Pick<SentinelAddress, 'nodes' | 'primary'>, answers: readonly SentinelAnswer[]): string {
  const failed = answers.filter(({ failure }) => failure !== undefined);
  const refused = failed.find(({ failure }) => /NOAUTH|HELLO must be called/.test(String(failure)));
  if (refused) {
    return `The Sentinel ${showNode(refused.sentinel)} asks for a password; give REDIS_URL ?sentinelPassword=… (and sentinelUser).`;
  }
  const wrong = failed.find(({ failure }) => /WRONGPASS|invalid (username|password)/i.test(String(failure)));
  if (wrong) return `The Sentinel ${showNode(wrong.sentinel)} refuses sentinelUser and sentinelPassword of REDIS_URL.`;
  if (failed.length < answers.length) {
    return `The Sentinels ${listOf(address.nodes)} know no primary named ${address.primary}; correct the name at the end of REDIS_URL.`;
  }
  return `None of the Sentinels ${listOf(address.nodes)} can be asked: ${explainRedisFailure(failed[0]?.failure)}`;
}

function isSame(one: SentinelAnswer, other: SentinelAnswer): boolean {
  return (
    one.primary?.host === other.primary?.host && one.primary?.port === other.primary?.port && one.epoch === other.epoch
  );
}

async function askSentinel(
  sentinel: RedisNode,
  { primary, sentinel: login }: SentinelAddress,
  tls: RedisTls | undefined,
): Promise<SentinelAnswer> {
  try {
    return await askNode(sentinel, { ...login, tls }, async (redis) => {
      // The first tells the new address as soon as a failover has one; the second says how old that is.
      const [where, about] = await Promise.all([
        redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primary) as Promise<[string, string] | null>,
        (redis.call('SENTINEL', 'MASTER', primary) as Promise<string[]>).catch((error: Error) => {
          if (/No such master/i.test(error.message)) return [];
          throw error;
        }),
      ]);
      if (!where) return { sentinel };
      const fields = fieldsOf(about);
      return {
        sentinel,
        primary: { host: where[0], port: Number(where[1]) },
        epoch: Number(fields['config-epoch'] ?? '0'),
        quorum: Number(fields['quorum'] ?? '0'),
        sentinels: Number(fields['num-other-sentinels'] ?? '0') + 1,
        replicas: Number(fields['num-slaves'] ?? '0'),
        // Behind the failover's first half it names the new primary, and goes on with the replicas: what it says then is
        // where the old one was.
        isFailingOver: isUnderWay(fields) && where[0] === fields['ip'] && where[1] === fields['port'],
      };
    });
  } catch (error) {
    return { sentinel, failure: error };
  }
}

function isUnderWay({ flags = '' }: Record<string, string | undefined>): boolean {
  return flags.split(',').includes('failover_in_progress');
}

function fieldsOf(list: readonly string[]): Record<string, string | undefined> {
  const fields: Record<string, string> = {};
  for (let i = 0; i + 1 < list.length; i += 2) fields[list[i] ?? ''] = list[i + 1] ?? '';
  return fields;
}
