import { ENDPOINTS } from '@lontar/shared/endpoints.ts';
import { type GenerateDeps, generate } from '../generation/generate.ts';
import type { Answer } from './answer.ts';
import type { RequestContext } from './request-context.ts';

/** One entry of the table of routes that the gateway answers itself. */
export interface Route {
  readonly path: string;
  /** Methods it takes; all others get 405. */
  readonly methods: readonly string[];
  handle(deps: GenerateDeps, context: RequestContext): Promise<Answer>;
}

export const ROUTES: readonly Route[] = ENDPOINTS.map((endpoint) => ({
  path: endpoint,
  methods: ['GET', 'POST'],
  handle: (deps, context) => generate(deps, endpoint, context),
}));

/** Paths under `/api/` that stats-service answers; they take GET alone. */
export const STATS_API_PATHS = ['/api/check-limit', '/api/usage', '/api/health', '/api/stats'] as const;

/** The one path under `/api/` that no limit counts, so that monitoring never runs into it. */
export const UNCOUNTED_PATH = '/api/health';
