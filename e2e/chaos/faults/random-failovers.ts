import { setTimeout as delay } from 'node:timers/promises';
import type { TestRedis } from '@lontar/shared/testing/redis-server.ts';
import type { Fleet } from '../fleet.ts';
import { until } from '../system.ts';

/** How long a server is away at most once another one serves, or where none has to take its place. */
const AWAY_MS = 5_000;

type Failover = (fleet: Fleet, random: () => number) => Promise<unknown>;

/** What can happen to a Redis of several, by name; each waits until there are as many replicas again as there were. */
export const FAILOVERS: Readonly<Record<string, Failover>> = {
  'failover asked for': (fleet) => thenWhole(fleet, () => fleet.failover()),
  'primary killed': (fleet) =>
    replaced(
      fleet,
      (primary) => primary.kill(),
      (primary) => primary.start(),
    ),
  'primary stands still': (fleet, random) =>
    replaced(
      fleet,
      (primary) => primary.process().kill('SIGSTOP'),
      async (primary) => {
        await delay(random() * AWAY_MS);
        primary.process().kill('SIGCONT');
      },
    ),
  'primary cut off': (fleet, random) =>
    replaced(
      fleet,
      (primary) => fleet.proxies[fleet.servers.indexOf(primary)]?.mode('lose'),
      async (primary) => {
        await delay(random() * AWAY_MS);
        fleet.proxies[fleet.servers.indexOf(primary)]?.mode('pass');
      },
    ),
  'replica killed': (fleet, random) =>
    thenWhole(fleet, async () => {
      const primary = await fleet.primary();
      const replica = fleet.servers.find((server) => server !== primary) as TestRedis;
      await replica.kill();
      await delay(random() * AWAY_MS);
      await replica.start();
    }),
};

/** Another server takes over, then what was done to the old one is taken back. */
function replaced(
  fleet: Fleet,
  cause: (primary: TestRedis) => unknown,
  heal: (primary: TestRedis) => Promise<unknown>,
): Promise<void> {
  return thenWhole(fleet, async () => {
    const primary = await fleet.primary();
    await cause(primary);
    await fleet.untilSwitched(primary);
    await heal(primary);
  });
}

async function thenWhole(fleet: Fleet, happens: () => Promise<unknown>): Promise<void> {
  await happens();
  const following = async () => {
    const info = await (await fleet.primary()).client.info('replication').catch(() => '');
    return [...info.matchAll(/state=online,offset=\d+,lag=[01]\b/g)].length;
  };
  await until(async () => (await following()) >= fleet.servers.length - 1, 60_000, 'all replicas');
}
