import { expect, test } from '@jest/globals';
import { gatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { createRegistry, workerMetrics } from '@lontar/shared/metrics.ts';
import { parseMetrics } from './parse-metrics.ts';
import { streamTotalsOf } from './stream-totals.ts';

test('what gateways and workers say of streams is added up', async () => {
  const pages: string[] = [];
  for (const count of [1, 2]) {
    const registry = createRegistry('gateway', 'test');
    const metrics = gatewayMetrics(registry);
    metrics.streamsOpen.set(10 * count);
    for (const seconds of [0.1, 0.3]) metrics.streamFirstByte.observe(seconds * count);
    metrics.inboxLag.observe(0.004);
    metrics.streamGapsFilled.inc(count);
    metrics.streamResumes.inc({ state: 'open' }, count);
    metrics.streamResumes.inc({ state: 'settled' });
    metrics.streamDisconnects.inc({ job: 'finished' }, 3);
    metrics.streamReadersCut.inc();
    pages.push(await registry.metrics());
  }
  const registry = createRegistry('worker', 'test');
  workerMetrics(registry, ['none']).streamsBroken.inc(4);
  pages.push(await registry.metrics());
  expect(streamTotalsOf(pages.flatMap(parseMetrics))).toEqual({
    ...{ open: 30, begun: 4, firstByteMeanMs: 300, lagMeanMs: 4 },
    ...{ broken: 4, gapsFilled: 3, resumed: 5, left: 6, cut: 2 },
  });
});

test('of streams that never were there are no means', () => {
  expect(streamTotalsOf([])).toEqual({ open: 0, begun: 0, broken: 0, gapsFilled: 0, resumed: 0, left: 0, cut: 0 });
});
