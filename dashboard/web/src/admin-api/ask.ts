import { type Answer, askServer } from './answer.ts';

export interface Question {
  readonly body?: unknown;
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/**
 * Asks the admin API, as of `askServer`.
 *
 * @param path below `/admin/v1`: `/keys?limit=50`
 */
export function ask<Body>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  { body, ifMatch, idempotencyKey, signal }: Question = {},
): Promise<Answer<Body>> {
  return askServer(
    `/admin/v1${path}`,
    {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    },
    (said) => (said as { readonly result?: Body } | undefined)?.result,
  );
}
