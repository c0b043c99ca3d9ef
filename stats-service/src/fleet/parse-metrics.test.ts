import { expect, test } from '@jest/globals';
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { parseMetrics, sumOf } from './parse-metrics.ts';

/** The output of one instance. */
async function output(work: number): Promise<string> {
  const registry = new Registry();
  registry.setDefaultLabels({ service: 'worker' });
  const registers = [registry];
  new Counter({ name: 'jobs_total', help: 'Jobs.\nAll of them.', labelNames: ['outcome'], registers }).inc(
    { outcome: 'a "quoted" \\ one\n' },
    work,
  );
  new Gauge({ name: 'last_timestamp_seconds', help: 'h', registers }).set(work);
  const histogram = new Histogram({ name: 'took_seconds', help: 'h', buckets: [0.1, 1], registers });
  histogram.observe(work / 10);
  return registry.metrics();
}

test("two instances' metrics add up as prom-client adds them", async () => {
  const parsed = [parseMetrics(await output(2)), parseMetrics(await output(5))];
  const text = await AggregatorRegistry.aggregate(parsed).metrics();
  expect(text).toContain('jobs_total{outcome="a \\"quoted\\" \\\\ one\\n",service="worker"} 7');
  expect(text).toContain('last_timestamp_seconds{service="worker"} 5');
  expect(text).toContain('took_seconds_bucket{le="1",service="worker"} 2');
  expect(text).toContain('took_seconds_sum{service="worker"} 0.7');
});

test('a sum goes over the series whose labels fit', async () => {
  const parsed = parseMetrics(await output(3));
  expect(sumOf(parsed, 'jobs_total')).toBe(3);
  expect(sumOf(parsed, 'jobs_total', ({ outcome }) => outcome === 'other')).toBe(0);
  expect(sumOf(parsed, 'took_seconds_count')).toBe(1);
});

test('what is no metric is passed over', () => {
  expect(parseMetrics('<html>\n\n# a comment\nfoo 1\n')).toEqual([]);
});
