import { ENDPOINTS } from '@lontar/shared/endpoints.ts';
import type { Answer } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { type GenerateDeps, generate } from '../generation/generate.ts';

/** One entry of the table of routes that the gateway answers itself. */
export interface Route {
  readonly path: string;
  /** Methods it takes; all others get 405. */
  readonly methods: readonly string[];
  /** Counts the request under its address, by admission or `countCaller`: the server does not. */
  handle(deps: GenerateDeps, context: RequestContext): Promise<Answer>;
}

export const ROUTES: readonly Route[] = ENDPOINTS.map((endpoint) => ({
  path: endpoint,
  methods: ['GET', 'POST'],
  handle: (deps, context) => generate(deps, endpoint, context),
}));
