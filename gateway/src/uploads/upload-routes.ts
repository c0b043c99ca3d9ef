import { pipeline } from 'node:stream/promises';
import express, { type Request, type Response } from 'express';
import { type Answer, refuse } from '../http/answer.ts';
import { bodyProblem } from '../http/body.ts';
import { originOf } from '../http/origin.ts';
import type { RequestContext } from '../http/request-context.ts';
import { receiveCode } from './receive-code.ts';
import { receiveFile } from './receive-file.ts';
import type { UploadDeps } from './receive-upload.ts';
import { deleteFile, type FileAnswer, serveFile } from './serve-file.ts';

export interface UploadRouteDeps extends UploadDeps {
  readonly publicUrl: string | undefined;
}

type MutableContext = RequestContext & { body: RequestContext['body'] };

export type StreamedHandler = (
  deps: UploadRouteDeps,
  request: Request,
  response: Response,
  context: MutableContext,
) => Promise<Answer>;

/** Endpoints that read their bodies themselves, by path; all take POST. */
export const STREAMED_ROUTES: readonly (readonly [string, StreamedHandler])[] = [
  [
    '/api/upload',
    (deps, request, _response, context) => receiveFile(deps, context, originOf(request, deps.publicUrl), request),
  ],
  ['/api/code', takeCode],
];

/** Where uploads are fetched and removed. */
export const FILE_PATH = '/files/:id';
const FILE_METHODS = ['GET', 'HEAD', 'DELETE'];

function takeCode(
  deps: UploadRouteDeps,
  request: Request,
  response: Response,
  context: MutableContext,
): Promise<Answer> {
  return receiveCode(deps, context, originOf(request, deps.publicUrl), async (limit) => {
    const error = await readJson(request, response, limit);
    const problem = bodyProblem(request, error, 'code');
    if (problem) return problem;
    if (error !== undefined) return refuse('invalid_parameter', { message: 'The body cannot be read.' });
    context.body = request.body;
    return undefined;
  });
}

/** `GET`, `HEAD` and `DELETE /files/:id`. */
export async function serveUpload(
  deps: UploadRouteDeps,
  request: Request,
  response: Response,
  context: RequestContext,
): Promise<Answer | undefined> {
  if (!FILE_METHODS.includes(request.method)) {
    const allow = FILE_METHODS.join(', ');
    return refuse('method_not_allowed', { message: `This path takes ${allow} only.`, headers: { Allow: allow } });
  }
  const id = String(request.params['id']);
  if (request.method === 'DELETE') return deleteFile(deps, context, id);
  const answer = await serveFile(deps, context, id);
  if (!('content' in answer)) return answer;
  await send(answer, request, response);
  return undefined;
}

async function send({ headers, content }: FileAnswer, request: Request, response: Response): Promise<void> {
  // Not Express's `set`: it would add a charset to some types.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // A caller who left meanwhile is not heard of again: a content piped to nobody would stay open for ever.
  if (request.method === 'HEAD' || response.destroyed) {
    content.destroy();
    return void response.end();
  }
  // A caller who leaves ends the stream; so does a storage that fails, and the caller sees a short answer.
  await pipeline(content, response).catch(() => response.destroy());
}

/** What Express's parser throws is the value here. */
function readJson(request: Request, response: Response, limit: number): Promise<unknown> {
  const parse = express.json({ limit, strict: false, type: 'application/json', inflate: false });
  return new Promise((resolve) => {
    parse(request, response, resolve);
  });
}
