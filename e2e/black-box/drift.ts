import { describe, expect, test } from '@jest/globals';
import { ask, expectSuccess } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';
import type { BlackBox, GetService } from './service.ts';

const REQUESTS = 200;
const AT_ONCE = 20;

/** That what was served was recorded, to the last request; to run last, so that it speaks of all that came before. */
export function testDrift(service: GetService): void {
  describe('after all of this and a load', () => {
    test('what was served was recorded: the drift is 0', async () => {
      const { key } = await service().createKey('--concurrency', '1000');
      service().upstream.behave({ kind: 'answer', text: 'The server is 203.0.113.77.' });
      let sent = 0;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (sent++ < REQUESTS) {
            expectSuccess(
              await ask(service().url, '/api/ai3', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } }),
            );
          }
        }),
      );
      // The sums are some seconds old; they are the last ones when they hold everything that the statistics hold.
      let figures: Figures | undefined;
      await eventually(async () => {
        figures = await readFigures(service());
        return figures.served === figures.recorded && figures.generated === figures.usage;
      }, 30_000).catch(() => undefined);
      expect(figures).toEqual({
        served: figures?.recorded,
        recorded: figures?.served,
        generated: figures?.usage,
        usage: figures?.generated,
      });
      expect(figures?.usage).toBeGreaterThanOrEqual(REQUESTS);
    }, 90_000);
  });
}

interface Figures {
  /** Requests that gateways answered, and that stats-service counted: all endpoints. */
  readonly served: number;
  readonly recorded: number;
  /** Generation requests that gateways answered, and that `/api/usage` gives. */
  readonly generated: number;
  readonly usage: number;
}

async function readFigures({ url, aggregatedMetrics }: BlackBox): Promise<Figures> {
  const metrics = await aggregatedMetrics();
  const { body } = await ask(url, '/api/usage');
  return {
    served: sumOf(metrics, 'gateway_requests_total'),
    recorded: sumOf(metrics, 'stats_requests_recorded_total'),
    generated: sumOf(metrics, 'gateway_requests_total', /endpoint="\/api\/ai[23]?"/),
    usage: (body['result'] as { total: { requests: number } }).total.requests,
  };
}

function sumOf(metrics: string, name: string, labels = /./): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && labels.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
