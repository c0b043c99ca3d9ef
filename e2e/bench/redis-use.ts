/**
 * What one answered request takes of Redis: scripts called, and commands run, those inside of scripts too.
 *   node e2e/bench/redis-use.ts [--seconds=5] [--connections=100] [--settings=NAME=VALUE,…] FOLDER…
 * A folder is a checkout with its node_modules, see compare.ts.
 */
import { basename, resolve } from 'node:path';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import type { Redis } from 'ioredis';
import { measureRound } from './measure.ts';
import { startServiceUnderTest } from './processes/service-under-test.ts';
import { startUpstream } from './sections/contenders.ts';
import { promptFor } from './wish.ts';

const given = readOptions({
  name: 'node e2e/bench/redis-use.ts',
  about:
    'Says what one answered request takes of Redis: scripts called, and commands run, those inside of scripts too.',
  options: {
    seconds: { type: 'number', value: 'N', default: 5, about: 'how long it is counted' },
    connections: { type: 'number', value: 'N', default: 100, about: 'requests at once' },
    settings: { type: 'text', value: 'NAME=VALUE,…', default: '', about: 'settings of the service' },
  },
  takes: 'FOLDER',
});
const settings = Object.fromEntries(
  given.settings.split(',').flatMap((pair) => (pair === '' ? [] : [pair.split('=') as [string, string]])),
);
const SHOWN = 14;

process.setMaxListeners(0);
const upstream = await startUpstream();
const prompt = promptFor({ bytes: 2_048, delayMs: 0 });
for (const folder of given.rest) {
  const service = await startServiceUnderTest({ root: resolve(folder), upstreamPort: upstream.port, settings });
  const { ports, processes, redis } = service;
  const target = { name: basename(folder), ports, requests: [service.request(prompt)], processes };
  const how = { connections: given.connections, warmUpSeconds: 0 };
  await measureRound(target, { ...how, seconds: 2 });
  const before = await countCommands(redis.client);
  const { requests, p50 } = await measureRound(target, { ...how, seconds: given.seconds });
  const calls = [...(await countCommands(redis.client))].map(
    ([name, count]) => [name, (count - (before.get(name) ?? 0)) / requests] as const,
  );
  const sum = (isCounted: (name: string) => boolean) =>
    calls.reduce((total, [name, each]) => (isCounted(name) ? total + each : total), 0).toFixed(2);
  const isScript = (name: string) => name === 'evalsha' || name === 'eval';
  console.log(
    `${target.name}: ${requests} requests, p50 ${p50.toFixed(2)} ms; each ${sum(isScript)} script calls, ` +
      `${sum((name) => !isScript(name))} commands`,
  );
  const most = calls.toSorted(([, one], [, two]) => two - one).slice(0, SHOWN);
  console.log(`  ${most.map(([name, each]) => `${name} ${each.toFixed(2)}`).join(', ')}`);
  await service.stop();
}
await upstream.stop();

async function countCommands(client: Redis): Promise<Map<string, number>> {
  const info = await client.info('commandstats');
  return new Map(
    [...info.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)].map(([, name = '', calls]) => [name, Number(calls)]),
  );
}
