import { keepCompiledCode } from '@lontar/shared/patches/compiled-code.ts';
import type { Request, RequestHandler, Response } from 'express';
import type { RequestContext } from '../envelope/request-context.ts';
import { isStreamed } from '../envelope/streamed-answer.ts';
import type { GenerateDeps } from '../generation/generate.ts';
import { letGoOfRouting } from '../patches/routing.ts';
import { type ConcludeDeps, concludeAnswer } from './conclude.ts';
import { concludeStream } from './conclude-stream.ts';
import type { EventStreams } from './event-streams.ts';
import type { Route } from './routes.ts';
import { type BodyDeps, takeJsonBody } from './take-json-body.ts';

export interface RouteDeps {
  readonly bodies: BodyDeps;
  readonly generation: GenerateDeps;
  readonly streams: EventStreams;
  readonly conclude: ConcludeDeps;
}

/** What is done about an error that no step has dealt with. Never rejects. */
export type Fail = (error: unknown, request: Request, response: Response) => Promise<void>;

/**
 * Serves a route of the gateway's own table. Most requests wait here: Express gets neither the promise nor the errors, because for
 * those it would keep all with which it looked for the route.
 */
export function serveRoute(route: Route, deps: RouteDeps, fail: Fail): RequestHandler {
  return (request, response): void => {
    letGoOfRouting(request);
    void serve(route, deps, request, response, fail);
  };
}

async function serve(route: Route, deps: RouteDeps, request: Request, response: Response, fail: Fail): Promise<void> {
  try {
    keepCompiledCode();
    const context = response.locals['context'] as RequestContext;
    const refusal = request.method === 'POST' ? await takeJsonBody(deps.bodies, request, context) : undefined;
    const answer = refusal ?? (await route.handle(deps.generation, context, request.params));
    if (isStreamed(answer)) return await concludeStream(deps, route.label, response, context, answer);
    await concludeAnswer(deps.conclude, route.label, response, context, answer);
    const { bodyBytes = 0 } = context;
    if (bodyBytes > 0 && answer.report.generation === undefined) deps.bodies.onRefusedBytes(bodyBytes);
  } catch (error) {
    await fail(error, request, response);
  }
}
