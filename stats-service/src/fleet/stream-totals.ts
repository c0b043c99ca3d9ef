import type { StreamTotals } from '@lontar/shared/dashboard-contract.ts';
import { type ParsedMetric, sumOf } from './parse-metrics.ts';

/** What processes' metrics say of answers that are streamed, added up. */
export function streamTotalsOf(metrics: readonly ParsedMetric[]): StreamTotals {
  const firstByteMeanMs = meanMs(metrics, 'gateway_stream_first_byte_seconds');
  const lagMeanMs = meanMs(metrics, 'gateway_inbox_lag_seconds');
  return {
    open: sumOf(metrics, 'gateway_streams_open'),
    begun: sumOf(metrics, 'gateway_stream_first_byte_seconds_count'),
    ...(firstByteMeanMs !== undefined && { firstByteMeanMs }),
    ...(lagMeanMs !== undefined && { lagMeanMs }),
    broken: sumOf(metrics, 'stream_broken_total'),
    gapsFilled: sumOf(metrics, 'gateway_stream_gaps_filled_total'),
    resumed: sumOf(metrics, 'gateway_resumes_total'),
    left: sumOf(metrics, 'gateway_stream_disconnects_total'),
    cut: sumOf(metrics, 'gateway_stream_readers_cut_total'),
  };
}

/** `undefined` where nothing was observed. */
function meanMs(metrics: readonly ParsedMetric[], histogram: string): number | undefined {
  const count = sumOf(metrics, `${histogram}_count`);
  return count === 0 ? undefined : Math.round((sumOf(metrics, `${histogram}_sum`) / count) * 1e4) / 10;
}
