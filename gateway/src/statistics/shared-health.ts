import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { CLIENT_ADDRESS_HEADER, INNER_SECRET_HEADER } from '@lontar/shared/inner-headers.ts';
import { sharedFor } from '@lontar/shared/shared-for.ts';
import { STATS_PATIENCE_MS } from '@lontar/shared/time-budget.ts';
import type { briefHealthSchema, Health } from '@lontar/shared/utility-answers.ts';
import type { z } from 'zod';
import { type Answer, refuse } from '../envelope/answer.ts';
import { UNCOUNTED_PATH } from './paths.ts';
import { isRefusal, NOT_KNOWN, type StatsAddress } from './stats-proxy.ts';
import { UNAVAILABLE } from './unavailable.ts';

/** An answer is given out for this long, from when it was requested, ms. */
const FRESH_MS = 1_000;

/**
 * Says how the service is, at the cost of one look a second, however many ask.
 *
 * @returns gives the answer of the last second, or the one that is on its way; never rejects, as a failure is shared too
 * @param isBrief whether the answer keeps numbers to itself (`UTILITY_ENDPOINTS`)
 * @param onFailure called when stats-service cannot be reached, does not answer in time, or does not know this gateway
 * @param patienceMs another time only in tests
 */
export function shareHealth(
  stats: StatsAddress,
  isBrief: boolean,
  onFailure: (error: unknown) => void,
  patienceMs: number = STATS_PATIENCE_MS,
) {
  const look = async (): Promise<Answer> => {
    try {
      const whole = await askStats(stats, patienceMs);
      return isBrief ? { ...whole, body: briefly(whole.body) } : whole;
    } catch (error) {
      onFailure(error);
      return refuse('service_unavailable', { ...UNAVAILABLE, report: { outcome: 'server_error' } });
    }
  };
  return sharedFor(FRESH_MS, look);
}

function briefly({ status, version, timestamp, endpoints }: Health): z.infer<typeof briefHealthSchema> {
  return { status, version, timestamp, endpoints };
}

async function askStats(stats: StatsAddress, patienceMs: number): Promise<Answer & { readonly body: Health }> {
  const signal = AbortSignal.timeout(patienceMs);
  // The gateway asks in its own name, for all who asked it.
  const headers = { [INNER_SECRET_HEADER]: stats.secret, [CLIENT_ADDRESS_HEADER]: 'gateway' };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // A connection of its own each time: clients who hold all others do not keep health from answering, and none is
    // left over that a restart of stats-service has ended.
    const how = { agent: false, headers, signal } as const;
    request(new URL(UNCOUNTED_PATH, stats.url), how, resolve).on('error', reject).end();
  });
  const text = (await buffer(response)).toString('utf8');
  if (isRefusal(response)) throw new Error(NOT_KNOWN);
  const status = response.statusCode ?? 502;
  const retryAfter = response.headers['retry-after'];
  return {
    status,
    headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
    body: JSON.parse(text) as Health,
    report: { outcome: status >= 500 ? 'server_error' : 'success' },
  };
}
