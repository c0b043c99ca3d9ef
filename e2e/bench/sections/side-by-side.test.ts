import { expect, test } from '@jest/globals';
import type { ThroughputRow } from '../results.ts';
import { joinOpenLoops, joinStarts } from './side-by-side.ts';

test('what several starts gave of a case is joined to its medians, and what one start gave stays', () => {
  const starts = [
    [row('service', 300, 0.02), row('portkey', 500, 0.01)],
    [row('service', 360, 0.05), row('portkey', 400, 0.01)],
    [row('service', 330, 0.01), row('portkey', 450, 0.01), { ...row('service', 90, 0), connections: 10 }],
  ];
  const [service, portkey, alone] = joinStarts(starts);
  expect(service).toMatchObject({ contender: 'service', connections: 100, spread: 0.05, failed: 3, perSecond: 330 });
  expect(service?.cpuMicros).toEqual({ gateway: 330, worker: 10 });
  // 300, 330 and 360, with 10 each for the worker.
  expect(service?.startSpread).toBeCloseTo(30 / 340);
  expect(portkey?.cpuMicros).toEqual({ gateway: 450, worker: 10 });
  expect(alone).toEqual({ ...row('service', 90, 0), connections: 10 });
});

test('what several starts gave of a pace is joined, with the bare queue loop where it was measured', () => {
  const at = (perSecond: number, service: number, queue?: number) => ({
    ...{ perSecond, service, portkey: 100 },
    ...(queue !== undefined && { queue }),
  });
  expect(
    joinOpenLoops([
      [at(50, 200, 120), at(200, 90)],
      [at(50, 220, 100), at(200, 80)],
      [at(50, 180, 140), at(200, 70)],
    ]),
  ).toEqual([at(50, 200, 120), at(200, 80)]);
});

function row(contender: string, micros: number, spread: number): ThroughputRow {
  return {
    ...{ contender, connections: 100, delayMs: 0, bytes: 2_048, perSecond: micros, p50: 1, p99: 2, failed: 1, spread },
    cpuMicros: { gateway: micros, worker: 10 },
    residentBytes: { gateway: 1 },
  };
}
