import { GENERATION_ENDPOINTS } from '@lontar/shared/endpoints.ts';
import { isGenerationRoute, type RequestEvent } from '@lontar/shared/request-event.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';

const KINDS = [
  { status: 200, outcome: 'success' },
  { status: 200, outcome: 'success' },
  { status: 200, outcome: 'success' },
  { status: 400, outcome: 'client_error', error: 'invalid_parameter' },
  { status: 401, outcome: 'unauthorized', error: 'invalid_api_key' },
  { status: 422, outcome: 'content_blocked', error: 'content_blocked' },
  { status: 429, outcome: 'rate_limited', error: 'too_many_requests' },
  { status: 502, outcome: 'server_error', error: 'upstream_error' },
  { status: 503, outcome: 'shed', error: 'service_unavailable' },
  { status: 504, outcome: 'timeout', error: 'timed_out' },
] as const;
/** Failures of requests that a worker had. */
const WORKED: ReadonlySet<string> = new Set(['content_blocked', 'server_error', 'timeout']);
const ROUTES = [...GENERATION_ENDPOINTS, '/api/usage', '/api/health', '/v1/models', 'other'] as const;

/** Answered requests of all kinds, of several keys and addresses, over the given days. */
export function mixedEvents(count: number, days: readonly number[], seed = 1): RequestEvent[] {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  return Array.from({ length: count }, (_, index) => {
    const route = pick(ROUTES);
    const kind = isGenerationRoute(route) ? pick(KINDS) : KINDS[0];
    const responseMs = Math.floor(random() ** 4 * 60_000);
    return {
      v: 1,
      id: `req_${String(index).padStart(22, '0')}`,
      at: pick(days) + Math.floor(random() * 1_000),
      route,
      method: 'GET',
      responseMs,
      address: `203.0.113.${Math.floor(random() * 200)}`,
      ...kind,
      ...(kind.status === 401 || !isGenerationRoute(route) ? {} : { keyId: `key${Math.floor(random() * 9)}aaaaaa` }),
      ...(kind.outcome === 'success' && isGenerationRoute(route) ? { generation: generation(route, random) } : {}),
      ...(WORKED.has(kind.outcome) ? { generation: { endpoint: route as '/api/ai', attempts: 1 } } : {}),
    };
  });
}

function generation(endpoint: string, random: () => number): RequestEvent['generation'] {
  const some = () => (random() < 0.7 ? 0 : Math.floor(random() * 4));
  return {
    endpoint: endpoint as '/api/ai',
    model: 'ai-2.5-flash',
    masked: { url: some(), key: some(), ip: some(), connection: some() },
    usage: { input: 10, output: 20 },
    attempts: 1,
    queuedMs: 3,
    modelMs: 50,
    maskMs: 0.1,
    promptPreview: 'a masked prompt',
    answerPreview: 'an answer with ***API_KEY***',
  };
}
