import { CHAT_ENDPOINT, ENDPOINTS } from '@lontar/shared/endpoints.ts';
import type { RouteLabel } from '@lontar/shared/metrics.ts';
import type { Answer } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import type { StreamedAnswer } from '../envelope/streamed-answer.ts';
import { type GenerateDeps, generate } from '../generation/generate.ts';
import { PROMPT_RESUME, promptProtocol } from '../generation/prompt-protocol.ts';
import { reconnectedTo } from '../generation/read-resume.ts';
import { resume } from '../generation/resume.ts';
import { CHAT_PROTOCOL, CHAT_RESUME } from '../openai/chat-protocol.ts';
import { listModels, showModel } from '../openai/models.ts';
import { showOwnKey } from '../own-key/show-own-key.ts';

/** One entry of the table of routes that the gateway answers itself. */
export interface Route {
  /** A part `:name` takes one segment. */
  readonly path: string;
  /** What metrics and the log call it. */
  readonly label: RouteLabel;
  /** Methods it takes; all others get 405. */
  readonly methods: readonly string[];
  /** Counts the request under its address, by admission or `countCaller`: the server does not. */
  handle(
    deps: GenerateDeps,
    context: RequestContext,
    params: Readonly<Record<string, unknown>>,
  ): Promise<Answer | StreamedAnswer>;
}

const OWN_KEY = '/api/key';
const MODELS = '/v1/models';
/** Under both protocols: answers that are asked for once more are no requests for generation. */
const REQUESTS = '/api/requests';

export const ROUTES: readonly Route[] = [
  ...ENDPOINTS.map((path) => {
    const protocol = promptProtocol(path);
    return route(path, path, ['GET', 'POST'], (deps, context) => {
      const request = reconnectedTo(context);
      return request === undefined ? generate(deps, protocol, context) : resume(deps, PROMPT_RESUME, context, request);
    });
  }),
  route(CHAT_ENDPOINT, CHAT_ENDPOINT, ['POST'], (deps, context) => generate(deps, CHAT_PROTOCOL, context)),
  route(`${CHAT_ENDPOINT}/:id`, REQUESTS, ['GET'], (deps, context, { id }) =>
    resume(deps, CHAT_RESUME, context, String(id)),
  ),
  route(`${REQUESTS}/:id`, REQUESTS, ['GET'], (deps, context, { id }) =>
    resume(deps, PROMPT_RESUME, context, String(id)),
  ),
  route(OWN_KEY, OWN_KEY, ['GET'], showOwnKey),
  route(MODELS, MODELS, ['GET'], listModels),
  route(`${MODELS}/:id`, MODELS, ['GET'], (deps, context, { id }) => showModel(deps, context, String(id))),
];

function route(path: string, label: RouteLabel, methods: readonly string[], handle: Route['handle']): Route {
  return { path, label, methods, handle };
}
