/**
 * What one answered request takes of Redis: scripts called, and commands run, those inside of scripts too.
 *   node e2e/bench/redis-use.ts [--seconds=5] [--connections=100] [--settings=NAME=VALUE,…] FOLDER…
 * A folder is a checkout with its node_modules, see compare.ts.
 */
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Redis } from 'ioredis';
import { measureRound } from './measure.ts';
import { startServiceUnderTest } from './processes/service-under-test.ts';
import { startUpstream } from './sections/contenders.ts';
import { promptFor } from './wish.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '100' },
    settings: { type: 'string', default: '' },
  },
});
const settings = Object.fromEntries(
  values.settings.split(',').flatMap((pair) => (pair === '' ? [] : [pair.split('=') as [string, string]])),
);
const SHOWN = 14;

process.setMaxListeners(0);
const upstream = await startUpstream();
const prompt = promptFor({ bytes: 2_048, delayMs: 0 });
for (const folder of positionals) {
  const service = await startServiceUnderTest({ root: resolve(folder), upstreamPort: upstream.port, settings });
  const { ports, processes, redis } = service;
  const target = { name: basename(folder), ports, requests: [service.request(prompt)], processes };
  const how = { connections: Number(values.connections), warmUpSeconds: 0 };
  await measureRound(target, { ...how, seconds: 2 });
  const before = await countCommands(redis.client);
  const { requests, p50 } = await measureRound(target, { ...how, seconds: Number(values.seconds) });
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
