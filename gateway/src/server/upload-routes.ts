import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { type Answer, refuse } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { type CodeDeps, receiveCode } from '../uploads/receive-code.ts';
import { receiveFile } from '../uploads/receive-file.ts';
import { type DownloadDeps, deleteFile, type ServedFile, serveFile } from '../uploads/serve-file.ts';
import { originOf } from './origin.ts';

export interface UploadRouteDeps extends CodeDeps, Omit<DownloadDeps, 'metrics'> {
  readonly metrics: CodeDeps['metrics'] & DownloadDeps['metrics'];
  /** `PUBLIC_URL`. */
  readonly publicUrl: string | undefined;
}

export type StreamedHandler = (deps: UploadRouteDeps, request: Request, context: RequestContext) => Promise<Answer>;

/** Endpoints that read their bodies themselves, by path; all take POST. */
export const STREAMED_ROUTES: readonly (readonly [string, StreamedHandler])[] = [
  ['/api/upload', (deps, request, context) => receiveFile(deps, context, originOf(request, deps.publicUrl), request)],
  ['/api/code', (deps, request, context) => receiveCode(deps, context, originOf(request, deps.publicUrl), request)],
];

/** Where uploads are fetched and removed. */
export const FILE_PATH = '/files/:id';
const FILE_METHODS = ['GET', 'HEAD', 'DELETE'];

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

async function send({ headers, content }: ServedFile, request: Request, response: Response): Promise<void> {
  // Not Express's `set`: it would add a charset to some types.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // Where the caller left meanwhile `close` already fired: destroy the content, or it stays open for ever.
  if (request.method === 'HEAD' || response.destroyed) {
    content.destroy();
    return void response.end();
  }
  // A caller who leaves ends the stream; so does a storage that fails, and the caller sees a short answer.
  await pipeline(content, response).catch(() => response.destroy());
}
