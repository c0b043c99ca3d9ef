import { askSentinels } from '@lontar/shared/primary/find-by-sentinels.ts';
import { readRedisAddress, type SentinelAddress, showNode } from '@lontar/shared/primary/redis-address.ts';
import { type RedisTls, readRedisTls } from '@lontar/shared/primary/redis-tls.ts';
import type { RedisSettings } from '@lontar/shared/redis-connection.ts';
import type { StatsMetrics } from '@lontar/shared/stats-metrics.ts';

const NEVER_PROMOTED = /^0*$/;

type TopologyMetrics = Pick<
  StatsMetrics,
  'redisReplicas' | 'redisReplicaLag' | 'redisFailovers' | 'redisSentinelsAgree'
>;

/**
 * Tells what Redis consists of as metrics, for alerts.
 *
 * @returns takes what the primary's INFO said; rejects for nothing: Sentinels that are away count as such
 * @throws ConfigError where the address is of no use, or a file of TLS
 */
export function exportTopology(
  target: RedisSettings,
  metrics: TopologyMetrics,
): (info: ReadonlyMap<string, string>) => Promise<void> {
  const address = readRedisAddress(target.REDIS_URL);
  const tls = readRedisTls(target, address.tls);
  let server: string | undefined;
  return async (info) => {
    const lags = [...info].flatMap(([name, value]) => {
      const lag = /^slave\d+$/.test(name) ? /\blag=(\d+)/.exec(value)?.[1] : undefined;
      return lag === undefined ? [] : [Number(lag)];
    });
    metrics.redisReplicas.set(Number(info.get('connected_slaves') ?? 0));
    metrics.redisReplicaLag.set(Math.max(0, ...lags));
    const now = info.get('run_id');
    // One that was started again has not been a replica before.
    if (server !== undefined && now !== server && !NEVER_PROMOTED.test(info.get('master_replid2') ?? '')) {
      metrics.redisFailovers.inc();
    }
    server = now ?? server;
    metrics.redisSentinelsAgree.set(address.kind === 'sentinel' ? await shareOfAgreement(address, tls) : 1);
  };
}

/** Sentinels that name the same primary, in parts of those that have to agree to a failover; 1 or more is enough. */
async function shareOfAgreement(address: SentinelAddress, tls: RedisTls | undefined): Promise<number> {
  const answers = await askSentinels(address, tls);
  const votes = new Map<string, number>();
  for (const { primary } of answers) {
    if (primary) votes.set(showNode(primary), (votes.get(showNode(primary)) ?? 0) + 1);
  }
  // A failover needs the quorum to begin, and a majority of all Sentinels to be led.
  const most = Math.max(
    0,
    ...answers.map(({ quorum = 0, sentinels = 0 }) => Math.max(quorum, Math.floor(sentinels / 2) + 1)),
  );
  return most === 0 ? 0 : Math.max(0, ...votes.values()) / most;
}
