/**
 * Several checkouts of the service side by side, in turns, for the figures before and after a change. Processor time per
 * request is what to look at: other work on the machine disturbs it least.
 *   node e2e/bench/compare.ts [--rounds=6] [--seconds=2] [--connections=100] FOLDER FOLDER…
 * A folder is a checkout with its node_modules: git archive COMMIT | tar x -C FOLDER && cp -al node_modules FOLDER/
 */
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureRound, median, type Round } from './measure.ts';
import { startServiceUnderTest } from './processes/service-under-test.ts';
import { startUpstream } from './sections/contenders.ts';
import { promptFor } from './wish.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '100' },
  },
});
const options = { connections: Number(values.connections), seconds: Number(values.seconds), warmUpSeconds: 0.5 };
const OWN = ['gateway-1', 'worker-1', 'stats-service', 'redis'] as const;

process.setMaxListeners(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const upstream = await startUpstream();
const prompt = promptFor({ bytes: 2_048, delayMs: 0 });
const rounds = new Map<string, Round[]>();
const checkouts = [];
for (const folder of positionals) {
  const service = await startServiceUnderTest({ root: resolve(folder), upstreamPort: upstream.port });
  const { ports, processes } = service;
  const target = { name: basename(folder), ports, requests: [service.request(prompt)], processes };
  await measureRound(target, { ...options, seconds: 6 });
  checkouts.push({ service, target });
  rounds.set(target.name, []);
}
for (let round = 0; round < Number(values.rounds); round++) {
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
