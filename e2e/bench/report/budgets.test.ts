import { expect, test } from '@jest/globals';
import type { Results, ThroughputRow } from '../results.ts';
import { findRegressions, judgeBudgets } from './budgets.ts';
import { drawPeers, peersSection } from './peers.ts';
import { findUnsteady } from './steadiness.ts';
import { trendRows, withRecord } from './trend.ts';

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
  const throughput = [row('service', 100, 1_200), row('portkey', 100, 1_000), row('queue', 100, 3_501)];
  expect(held(results({ throughput }))).toEqual({
    'throughput at 100 connections, times Portkey': true,
    'share of the bare BullMQ loop': false,
  });
});

test('judges the latency that is added to the upstream itself', () => {
  const throughput = [row('service', 1, 400, 1.4), row('direct', 1, 4_000, 0.3)];
  expect(held(results({ throughput }))).toEqual({ 'added latency at 1 connection, p50': false });
});

test('judges what a request costs of all processes, without load and upstream', () => {
  const of = (contender: string, bytes: number, cpuMicros: Record<string, number>) => ({
    ...row(contender, 100, Number.NaN),
    ...{ bytes, cpuMicros },
  });
  const throughput = [
    of('service', 2_048, { 'gateway-1': 100, redis: 90, load: 1_000, upstream: 1_000 }),
    of('portkey', 2_048, { portkey: 200, load: 1, upstream: 1 }),
    of('v1', 2_048, { 'gateway-1': 110, redis: 90, load: 1, upstream: 1 }),
    of('service', 65_536, { 'gateway-1': 96 }),
    of('portkey', 65_536, { portkey: 100 }),
  ];
  const openLoops = [{ perSecond: 50, service: 151, portkey: 100 }];
  expect(held(results({ throughput, openLoops }))).toMatchObject({
    'cost of a request, 2 KB, times Portkey': true,
    'cost of a request, 64 KB, times Portkey': false,
    'cost over /v1, times /api/ai': false,
    'cost at 50 requests/s, upstream 1.5 s, times Portkey': false,
  });
});

test('judges a default set-up, left alone and under load, by the sum of its processes', () => {
  const defaultSetUp = { startSeconds: 2.1, idleShare: { a: 0.01, b: 0.011 }, idleMegabytes: { a: 200, b: 80 } };
  const loadedMegabytes = { a: 400, b: 151 };
  expect(held(results({ defaultSetUp: { ...defaultSetUp, loadedMegabytes } }))).toEqual({
    '500 requests/s: memory of all processes': false,
    'idle: of one core': false,
    'idle: memory': true,
    'a start with everything in place': false,
  });
});

test('each budget says what it means', () => {
  for (const { meaning } of judgeBudgets(results({}))) expect(meaning).toMatch(/^[A-Z].{10,}\.$/);
});

test('a run whose rounds differ much is not steady, unless they were too short to tell', () => {
  const throughput = [
    { ...row('service', 100, 2_000), spread: 0.09 },
    { ...row('portkey', 100, 2_000), spread: 0.08 },
    { ...row('service', 1, 100), spread: 0.5 },
    row('queue', 100, 5_000),
  ];
  expect(findUnsteady(results({ throughput }))).toEqual([
    'service, 100 connections, 2 KB after 0 ms: rounds differ by 9 % (at most 8 %)',
  ]);
});

test('records are kept, each once, the newest first on the page', () => {
  const throughput = [row('service', 100, 1_500), row('portkey', 100, 1_000)];
  const first = withRecord([], results({ madeAt: '2026-01-01T00:00', throughput }));
  const second = withRecord(first, results({ madeAt: '2026-02-01T00:00' }));
  expect(withRecord(second, results({ madeAt: '2026-02-01T00:00' }))).toEqual(second);
  expect(trendRows(second)).toEqual([
    ['2026-02-01', 'any', '', '', '', '', ''],
    ['2026-01-01', 'any', '', '1.50 ×', '', '', ''],
  ]);
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

test('shows what was measured here before what vendors say, and says which is which', () => {
  const ours = { ...row('service', 10, 2_345, 3.21), p99: 9 };
  const portkey = { ...row('portkey', 10, 1_000, 8), residentBytes: { portkey: 120e6, upstream: 9e6 } };
  const given = results({ throughput: [ours, portkey], image: { name: 'lontar', compressedMegabytes: 100.4 } });
  const [said = '', , shown = ''] = peersSection((head, rows) => [head, ...rows].join('\n'), given);
  expect(said).toContain("a vendor's figures, not ours");
  expect(shown.split('\n')).toEqual([
    'program,p50 ms,p99 ms,requests/s,MB,image MB,start',
    'Lontar, here,3.2,9.0,2,345,,100,',
    'Portkey, here,8.0,1.0,1,000,120,,',
    'GoModel (Go),1.8,6.9,4,900,37,16,0.56 s',
    expect.stringMatching(/^Bifrost/),
    expect.stringMatching(/^Portkey,9\.7/),
    expect.stringMatching(/^LiteLLM/),
  ]);
  const bars = drawPeers(given).match(/class="(?:own|other|told)"/g);
  expect(bars).toEqual(['own', 'other', 'told', 'told', 'told', 'told'].map((kind) => `class="${kind}"`));
  expect(held(given)).toEqual({ 'image, compressed': true });
});
