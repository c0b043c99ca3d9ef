import type { ServerResponse } from 'node:http';
import { ERROR_CATALOG, type ErrorCode } from '../errors.ts';

/** What a service answers a request with: a handler gives it back, and the shell sends it. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: unknown;
}

/** The form of every error: exactly the four fields of the contract, and the rate-limited record where there is one. */
export interface ErrorBody {
  readonly status: false;
  readonly code: number;
  readonly message: string;
  readonly error: string;
}

/** The body of an error that the catalog need not know. */
export function errorBody(code: number, error: string, message: string): ErrorBody {
  return { status: false, code, message, error };
}

/** The body of an error of the catalog. */
export function catalogBody(code: ErrorCode, message?: string): ErrorBody {
  const entry = ERROR_CATALOG[code];
  return errorBody(entry.status, entry.label, message ?? entry.message);
}

/** The form of every success. */
export function successBody<Result>(code: number, result: Result) {
  return { status: true, code, message: 'Sukses', result } as const;
}

export function success(result: object): HttpAnswer {
  return { status: 200, body: successBody(200, result) };
}

/** An error of the catalog as an answer; one that says to try again says when. */
export function failure(code: ErrorCode, message?: string, headers: Record<string, string> = {}): HttpAnswer {
  const body = catalogBody(code, message);
  const retry = body.code === 503 ? { 'retry-after': '2' } : {};
  return { status: body.code, headers: { ...retry, ...headers }, body };
}

/** Sends an answer. Express's `send` would look for what the caller has cached, and needs Express. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  response.writeHead(status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(isJson ? { 'content-type': 'application/json; charset=utf-8' } : {}),
    ...headers,
  });
  response.end(isJson ? JSON.stringify(body) : body);
}
