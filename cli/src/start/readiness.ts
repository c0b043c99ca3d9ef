import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { PROCESS_ID_HEADER } from '@lontar/shared/http/probes.ts';

const PROBE_EVERY_MS = 50;
const PROBE_TIMEOUT_MS = 2_000;

/**
 * Resolves when `/readyz` of the process with this id answers 200. Another process may have taken the port since it was
 * chosen, such as a second `npm start` beside this one: its answer is none of ours.
 *
 * @throws when the signal fires first
 */
export async function untilReady(metricsPort: number, pid: number | undefined, signal: AbortSignal): Promise<void> {
  while (!(await isReady(metricsPort, String(pid)))) await delay(PROBE_EVERY_MS, undefined, { signal });
}

function isReady(port: number, pid: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/readyz', agent: false, timeout: PROBE_TIMEOUT_MS });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200 && response.headers[PROCESS_ID_HEADER] === pid);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
