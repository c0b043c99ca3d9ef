import type { Stack } from '../harness/stack.ts';
import type { BlackBox } from './service.ts';

/** Plain processes, seen from outside. */
export async function blackBoxOf(stack: Stack): Promise<BlackBox> {
  const { port } = (await stack.stats?.logged('stats-service serves')) ?? {};
  const { url, upstream, secrets, createKey, lontar } = stack;
  const aggregate = `http://127.0.0.1:${String(port)}/prometheus/aggregate`;
  return {
    url,
    upstream,
    secrets,
    createKey,
    lontar,
    aggregatedMetrics: async () =>
      (await fetch(aggregate, { headers: { authorization: `Bearer ${secrets.innerSecret}` } })).text(),
  };
}
