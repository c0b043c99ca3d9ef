import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { log } from '../words/log.ts';

/** One stage of a request, ms after its receipt. */
export interface Stage {
  readonly name: string;
  readonly tone: 'queued' | 'model' | 'masking' | 'rest';
  readonly startMs: number;
  readonly durationMs: number;
}

/**
 * Where a request's time went. The worker measures waiting, model and masking; what remains until the answer is the
 * way there and back: admission, retries' waits, settling and the reply.
 *
 * @returns nothing where no worker had it
 */
export function waterfall(row: LogRow): Stage[] {
  if (row.queuedMs === undefined && row.modelMs === undefined) return [];
  const attempts = row.attempts ?? 1;
  const words = log().stages;
  const measured: Omit<Stage, 'startMs'>[] = [
    { name: attempts > 1 ? words.waiting : words.queued, tone: 'queued', durationMs: row.queuedMs ?? 0 },
    { name: attempts > 1 ? words.attempt(String(attempts)) : words.model, tone: 'model', durationMs: row.modelMs ?? 0 },
    { name: words.masking, tone: 'masking', durationMs: row.maskMs ?? 0 },
  ];
  const stages: Stage[] = [];
  let at = 0;
  for (const { name, tone, durationMs } of measured) {
    stages.push({ name, tone, startMs: at, durationMs });
    at += durationMs;
  }
  return [...stages, { name: words.rest, tone: 'rest', startMs: at, durationMs: Math.max(0, row.ms - at) }];
}
