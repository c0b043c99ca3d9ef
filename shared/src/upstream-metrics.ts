import { Counter, Gauge, type Registry } from 'prom-client';

/** What a worker measures of upstreams and of the routes that lead to them, by the operator's names of them. */
export function upstreamMetrics(registry: Registry) {
  const registers = [registry];
  const hedges = new Counter({
    name: 'model_calls_hedged_total',
    help: 'Slow model calls for which a second call was made at the same time, by which of the two answered. The upstream charges for both.',
    labelNames: ['winner'] as const,
    registers,
  });
  for (const winner of ['first', 'second']) hedges.inc({ winner }, 0);
  return {
    hedges,
    upstreamCalls: new Counter({
      name: 'upstream_calls_total',
      help: 'Model calls by upstream, public model and what they show about the upstream: answered (also with an error about the request), failed, stalled (no token in time), limited (it takes no more calls now), unauthorized, unknown (our own side ended the call).',
      labelNames: ['upstream', 'model', 'outcome'] as const,
      registers,
    }),
    upstreamTokens: new Counter({
      name: 'upstream_tokens_total',
      help: 'Tokens of model calls by upstream and public model, as the upstream counted them.',
      labelNames: ['upstream', 'model', 'token_type'] as const,
      registers,
    }),
    upstreamBreaker: new Gauge({
      name: 'upstream_breaker_open',
      help: '1 while the breaker of an upstream is open, so that it gets no calls apart from single ones that test it, else 0.',
      labelNames: ['upstream'] as const,
      registers,
    }),
    upstreamUnauthorized: new Gauge({
      name: 'upstream_unauthorized',
      help: '1 while an upstream refuses the credentials that are configured for it, or their account, else 0.',
      labelNames: ['upstream'] as const,
      registers,
    }),
    upstreamPlaces: new Gauge({
      name: 'upstream_places_used',
      help: 'Calls to an upstream that this worker has in flight.',
      labelNames: ['upstream'] as const,
      registers,
    }),
    upstreamLimit: new Gauge({
      name: 'upstream_adaptive_limit',
      help: 'Calls at once that an upstream can take, learned from its refusals and stalls; 0 for no limit.',
      labelNames: ['upstream'] as const,
      registers,
    }),
    upstreamAloneUntil: new Gauge({
      name: 'upstream_left_alone_until_timestamp_seconds',
      help: 'Time until which an upstream wants no calls (Retry-After), Unix seconds; 0 if it never said so.',
      labelNames: ['upstream'] as const,
      registers,
    }),
    ...routeMetrics(registers),
  };
}

function routeMetrics(registers: Registry[]) {
  return {
    routesUp: new Gauge({
      name: 'model_routes_up',
      help: 'Routes of a public model whose upstream is not known to be down.',
      labelNames: ['model'] as const,
      registers,
    }),
    routesTotal: new Gauge({
      name: 'model_routes',
      help: 'Routes that a public model has.',
      labelNames: ['model'] as const,
      registers,
    }),
    routesWaiting: new Gauge({
      name: 'worker_jobs_waiting_for_route',
      help: 'Jobs in work that wait for a place at an upstream, or until one can be asked again.',
      registers,
    }),
  };
}
