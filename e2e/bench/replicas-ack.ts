/**
 * What `REDIS_REPLICAS_ACK=1` costs: two gateways, one with 0 and one with 1, by turns, before the same worker and the same
 * primary with two replicas and three Sentinels.
 *   node e2e/bench/replicas-ack.ts [--rounds=8] [--seconds=2] [--connections=32]
 */

import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { startTestSentinels } from '@lontar/shared/testing/redis-sentinels.ts';
import { measureRound, median, type Round } from './measure.ts';
import { startServiceUnderTest } from './processes/service-under-test.ts';
import { startUpstream } from './sections/contenders.ts';
import { promptFor } from './wish.ts';

const given = readOptions({
  name: 'node e2e/bench/replicas-ack.ts',
  about: 'Measures what REDIS_REPLICAS_ACK=1 costs: two gateways by turns, before one Redis with two replicas.',
  options: {
    rounds: { type: 'number', value: 'N', default: 8, about: 'rounds of each' },
    seconds: { type: 'number', value: 'N', default: 2, about: 'how long each goes on' },
    connections: { type: 'number', value: 'N', default: 32, about: 'requests at once, where throughput is measured' },
  },
});
/** Until code is compiled and heaps have their size, s. */
const WARM_UP_SECONDS = 5;
const ACKS = ['0', '1'] as const;

process.setMaxListeners(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const upstream = await startUpstream();
const fleet = await startTestSentinels({
  replicas: 2,
  downAfterMs: 5_000,
  args: ['--appendfsync', 'everysec', '--min-replicas-to-write', '1', '--min-replicas-max-lag', '2'],
});
const service = await startServiceUnderTest({
  upstreamPort: upstream.port,
  settings: { REDIS_URL: fleet.url },
  gateways: ACKS.map((ack) => ({ REDIS_REPLICAS_ACK: ack })),
});
const redis = fleet.servers.map((server, index) => ({
  name: index === 0 ? 'primary' : `replica-${index}`,
  pid: server.process().pid ?? 0,
}));
const requests = [service.request(promptFor({ bytes: 2_048, delayMs: 0 }))];
const measure = (number: number, connections: number, seconds: number) => {
  const name = `gateway-${number + 1}`;
  const processes = [
    ...service.processes.filter((one) => !/^(gateway|redis)/.test(one.name) || one.name === name),
    ...redis,
  ];
  const target = { name, ports: [service.ports[number] as number], requests, processes };
  return measureRound(target, { connections, seconds, warmUpSeconds: 0.3 });
};

for (const number of ACKS.keys()) await measure(number, given.connections, WARM_UP_SECONDS);
for (const connections of [given.connections, 1]) {
  const measured: Round[][] = ACKS.map(() => []);
  for (let round = 0; round < given.rounds; round++) {
    // Each comes first as often as last.
    for (const number of round % 2 === 0 ? [0, 1] : [1, 0]) {
      measured[number]?.push(await measure(number, connections, given.seconds));
    }
  }
  const of = (number: number, value: (round: Round) => number) => median((measured[number] ?? []).map(value));
  const perSecond = ACKS.map((_, number) => of(number, (round) => round.perSecond)) as [number, number];
  const p50 = ACKS.map((_, number) => of(number, (round) => round.p50)) as [number, number];
  for (const [number, ack] of ACKS.entries()) {
    const names = Object.keys(measured[number]?.[0]?.cpuMicros ?? {});
    const cpu = names.map((name) => `${name} ${of(number, ({ cpuMicros }) => cpuMicros[name] ?? 0).toFixed(0)}`);
    console.log(
      `${connections} at once, ack ${ack}: ${perSecond[number]?.toFixed(0)} /s, p50 ${p50[number]?.toFixed(2)} ms, CPU µs: ${cpu.join(', ')}`,
    );
  }
  const ratios = (measured[0] ?? []).map((round, index) => (measured[1]?.[index]?.perSecond ?? 0) / round.perSecond);
  console.log(
    `${connections} at once: ${(perSecond[1] / perSecond[0]).toFixed(3)} of the throughput (rounds ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}), p50 ${(p50[1] - p50[0]).toFixed(2)} ms more`,
  );
}
await service.stop();
await Promise.all([fleet.stop(), upstream.stop()]);
process.exit(0);
