import { expect, test } from '@jest/globals';
import type { Results, ThroughputRow } from '../results.ts';
import { findRegressions, judgeBudgets } from './budgets.ts';

function row(contender: string, connections: number, perSecond: number, p50 = 1): ThroughputRow {
  const unused = { p99: 1, cpuMicros: {}, residentBytes: {}, failed: 0 };
  return { contender, connections, perSecond, p50, delayMs: 0, bytes: 2_048, ...unused };
}

function results(parts: Partial<Results>): Results {
  const machine = { cpu: 'any', cores: 2, memoryGigabytes: 8, node: 'v24', redis: '7', loadBefore: 0 };
  const none = { throughput: [], commands: [], workers: [], gateways: [], inFlight: [], growth: [] };
  return {
    madeAt: '2026-01-31',
    machine,
    comparedWith: 'Portkey',
    ...none,
    alone: undefined,
    heldAlone: undefined,
    ...parts,
  };
}

const held = (given: Results) =>
  Object.fromEntries(judgeBudgets(given).flatMap(({ name, holds }) => (holds === undefined ? [] : [[name, holds]])));

test('judges only what was measured', () => {
  expect(held(results({}))).toEqual({});
});

test('judges throughput by what ran beside it', () => {
  const throughput = [row('service', 100, 1_500), row('portkey', 100, 1_000), row('queue', 100, 3_001)];
  expect(held(results({ throughput }))).toEqual({
    'throughput at 100 connections, times Portkey': true,
    'share of the bare BullMQ loop': false,
  });
});

test('judges the latency that is added to the upstream itself', () => {
  const throughput = [row('service', 1, 400, 2.4), row('direct', 1, 4_000, 0.3)];
  expect(held(results({ throughput }))).toEqual({ 'added latency at 1 connection, p50': false });
});

test('judges how workers add up', () => {
  const workers = [
    { workers: 1, perSecond: 50 },
    { workers: 2, perSecond: 96 },
    { workers: 4, perSecond: 179 },
  ];
  expect(held(results({ workers }))).toEqual({ 'two workers, times one': true, 'four workers, times one': false });
});

test('a slower machine is no regression, a worse ratio is', () => {
  const before = results({ throughput: [row('service', 100, 1_500), row('portkey', 100, 1_000)] });
  const slower = results({ throughput: [row('service', 100, 150), row('portkey', 100, 100)] });
  const worse = results({ throughput: [row('service', 100, 1_000), row('portkey', 100, 1_000)] });
  expect(findRegressions(slower, before)).toEqual([]);
  expect(findRegressions(worse, before)).toEqual(['throughput, times Portkey was 1.50 and is 1.00']);
});
