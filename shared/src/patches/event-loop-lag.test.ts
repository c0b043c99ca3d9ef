import perfHooks from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { collectProcessMetrics } from './event-loop-lag.ts';

test('each turn of the event loop is measured, and none is made for it', async () => {
  const given = perfHooks.monitorEventLoopDelay;
  const asked: unknown[] = [];
  perfHooks.monitorEventLoopDelay = (options) => {
    asked.push(options);
    return given(options);
  };
  const registry = new Registry();
  try {
    collectProcessMetrics(registry);
  } finally {
    perfHooks.monitorEventLoopDelay = given;
  }
  expect(asked).toEqual([expect.objectContaining({ samplePerIteration: true })]);

  for (let turn = 0; turn < 50; turn++) await delay(1);
  const until = performance.now() + 60;
  while (performance.now() < until);
  await delay(1);
  await delay(1);
  const said = await registry.metrics();
  const seconds = (name: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (.*)$`, 'm').exec(said)?.[1]);
  // A timer's steps would be in each: a calm turn would show as 50 ms.
  expect(seconds('min')).toBeLessThan(0.04);
  expect(seconds('max')).toBeGreaterThanOrEqual(0.06);
});
