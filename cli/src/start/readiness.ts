import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const PROBE_EVERY_MS = 50;
const PROBE_TIMEOUT_MS = 2_000;

/**
 * Resolves when a service's `/readyz` answers 200.
 *
 * @throws when the signal fires first
 */
export async function untilReady(metricsPort: number, signal: AbortSignal): Promise<void> {
  while (!(await isReady(metricsPort))) await delay(PROBE_EVERY_MS, undefined, { signal });
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/readyz', agent: false, timeout: PROBE_TIMEOUT_MS });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
