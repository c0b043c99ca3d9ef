import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { buildPage } from '../../cli/src/page/build-page.ts';
import { ROOT } from './launch.ts';
import type { Service } from './service.ts';
import { type Stack, startStack } from './stack.ts';

/** The whole service on real processes, with the page as its sources are. */
export interface DashboardStack {
  readonly stack: Stack;
  readonly url: string;
  /** The stats-service that runs now. */
  stats(): Service;
  /** Signs in as the browser would, and gives the cookie. */
  signIn(): Promise<string>;
  /** Lets events reach the statistics as a gateway would. */
  answer(events: readonly RequestEvent[]): Promise<void>;
}

/**
 * Starts the service with its statistics, and the page that they serve.
 *
 * @throws Error when the page cannot be built; whatever `startStack` throws
 */
export async function startDashboard(): Promise<DashboardStack> {
  // Not built anew while it stands: other tests are being served it.
  const unbuilt = await buildPage(ROOT);
  if (unbuilt !== undefined) throw new Error(`The page could not be built: ${unbuilt}`);
  const stack = await startStack({ stats: true, protocol: 'demo' });
  return {
    stack,
    url: stack.url,
    stats: () => stack.stats as Service,
    async signIn() {
      const answer = await fetch(`${stack.url}/dashboard/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: stack.secrets.dashboardToken }),
      });
      return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    },
    async answer(events) {
      const pipeline = stack.redis.client.pipeline();
      for (const event of events) pipeline.xadd(redisKeys.events, '*', 'event', JSON.stringify(event));
      await pipeline.exec();
    },
  };
}

let made = 0;

/** An answered request; whatever is not given is made up. */
export function answered(part: Partial<RequestEvent> = {}): RequestEvent {
  made += 1;
  return {
    v: 1,
    id: `req_${String(made).padStart(22, '0')}`,
    at: Date.now(),
    route: '/api/ai',
    method: 'GET',
    status: 200,
    outcome: 'success',
    responseMs: 400 + ((made * 37) % 900),
    address: `203.0.113.${made % 50}`,
    keyId: `Qm4xT9bL${made % 7}z`,
    generation: {
      endpoint: '/api/ai',
      model: 'ai-2.5-flash',
      masked: { url: 0, key: made % 2, ip: 0, connection: 0 },
      usage: { input: 12, output: 340 },
      attempts: 1,
      queuedMs: 8,
      modelMs: 380,
      maskMs: 0.14,
      promptPreview: 'How do I call it with ***API_KEY***?',
      answerPreview: 'Use `curl https://***API_SERVER***/v1` with ***API_KEY***.',
    },
    ...part,
  };
}

/** A few of everything. */
export function answeredMix(): RequestEvent[] {
  const failures = [
    { status: 400, outcome: 'client_error', error: 'invalid_parameter' },
    { status: 401, outcome: 'unauthorized', error: 'invalid_api_key' },
    { status: 403, outcome: 'blocked', error: 'address_blocked' },
    { status: 422, outcome: 'content_blocked', error: 'content_blocked' },
    { status: 429, outcome: 'rate_limited', error: 'too_many_requests' },
    { status: 502, outcome: 'server_error', error: 'upstream_error' },
    { status: 503, outcome: 'shed', error: 'service_unavailable' },
    { status: 504, outcome: 'timeout', error: 'timed_out' },
  ] as const;
  const good = Array.from({ length: 16 }, (_, index) => answered({ at: Date.now() - index * 150_000 }));
  const bad = failures.map((failure) => {
    const { generation: _, ...event } = answered(failure);
    return event;
  });
  return [...good, ...bad];
}
