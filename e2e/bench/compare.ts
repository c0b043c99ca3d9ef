/**
 * Several checkouts of the service side by side, in turns, for the figures before and after a change. Processor time per
 * request is what to look at: other work on the machine disturbs it least.
 *   node e2e/bench/compare.ts [--rounds=6] [--seconds=2] [--connections=100] FOLDER FOLDER…
 * A folder is a checkout with its node_modules: git archive COMMIT | tar x -C FOLDER && cp -al node_modules FOLDER/
 */
import { basename, resolve } from 'node:path';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { measureRound, median, type Round } from './measure.ts';
import { startServiceUnderTest } from './processes/service-under-test.ts';
import { startUpstream } from './sections/contenders.ts';
import { promptFor } from './wish.ts';

const given = readOptions({
  name: 'node e2e/bench/compare.ts',
  about: 'Measures several checkouts of the service side by side, in turns; each has its node_modules.',
  options: {
    rounds: { type: 'number', value: 'N', default: 6, about: 'rounds of each' },
    seconds: { type: 'number', value: 'N', default: 2, about: 'how long each goes on' },
    connections: { type: 'number', value: 'N', default: 100, about: 'requests at once' },
  },
  takes: 'FOLDER',
});
const options = { connections: given.connections, seconds: given.seconds, warmUpSeconds: 0.5 };
const OWN = ['gateway-1', 'worker-1', 'stats-service', 'redis'] as const;

process.setMaxListeners(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const upstream = await startUpstream();
const prompt = promptFor({ bytes: 2_048, delayMs: 0 });
const rounds = new Map<string, Round[]>();
const checkouts = [];
for (const folder of given.rest) {
  const service = await startServiceUnderTest({ root: resolve(folder), upstreamPort: upstream.port });
  const { ports, processes } = service;
  const target = { name: basename(folder), ports, requests: [service.request(prompt)], processes };
  await measureRound(target, { ...options, seconds: 6 });
  checkouts.push({ service, target });
  rounds.set(target.name, []);
}
for (let round = 0; round < given.rounds; round++) {
  for (const { target } of checkouts) rounds.get(target.name)?.push(await measureRound(target, options));
}
for (const [name, measured] of rounds) {
  const cpu = OWN.map((process) => median(measured.map(({ cpuMicros }) => cpuMicros[process] ?? 0)));
  const all = cpu.reduce((sum, micros) => sum + micros, 0);
  console.log(
    `${name.padEnd(16)} ${median(measured.map(({ perSecond }) => perSecond)).toFixed(0)} /s, ` +
      `p50 ${median(measured.map(({ p50 }) => p50)).toFixed(2)} ms, CPU ${all.toFixed(0)} µs: ` +
      OWN.map((process, index) => `${process} ${cpu[index]?.toFixed(0)}`).join(', '),
  );
}
await Promise.all(checkouts.map(({ service }) => service.stop()));
await upstream.stop();
