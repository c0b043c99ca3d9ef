import { batch } from '@preact/signals';
import { signedIn, signedOut } from '../live/live-state.ts';

/** What the admin API said. */
export type Answer<Body> = Answered<Body> | Refused;

export interface Answered<Body> {
  readonly ok: true;
  readonly body: Body;
  readonly etag?: string;
}

/** Why there is no answer, in the kinds that a page tells apart. */
export type RefusalKind =
  | 'signedOut'
  | 'forbidden'
  | 'off'
  | 'notFound'
  | 'invalid'
  | 'conflict'
  | 'changed'
  | 'limited'
  | 'broken'
  | 'unreachable';

export interface Refused {
  readonly ok: false;
  readonly kind: RefusalKind;
  /** 0 where no answer came. */
  readonly status: number;
  /** What the server says, in its own words; empty where it said nothing. */
  readonly message: string;
  /** The same as a word, see `AdminReason`; absent where it was not the admin API that refused. */
  readonly reason?: string;
  /** Seconds to wait, where that helps. */
  readonly retryAfter?: number;
  /** Fields that break their rules. */
  readonly problems?: readonly { readonly field: string; readonly rule: string }[];
  /** At 412: what was changed since; `null` where that is not known. */
  readonly changed?: readonly string[] | null;
}

export interface Question {
  readonly body?: unknown;
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** The server gives up before, so that a longer wait is a lost connection, ms. */
const WAIT_MS = 30_000;

const KINDS: Readonly<Record<number, RefusalKind>> = {
  400: 'invalid',
  401: 'signedOut',
  403: 'forbidden',
  409: 'conflict',
  412: 'changed',
  422: 'conflict',
  429: 'limited',
};

/**
 * Asks the admin API as the operator who is signed in; an answer that the session has ended signs the page out. Never
 * rejects, but when `signal` aborts: then with its reason.
 *
 * @param path below `/admin/v1`: `/keys?limit=50`
 */
export async function ask<Body>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  { body, ifMatch, idempotencyKey, signal }: Question = {},
): Promise<Answer<Body>> {
  const late = AbortSignal.timeout(WAIT_MS);
  try {
    const response = await fetch(`/admin/v1${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    });
    return await readAnswer<Body>(path, response);
  } catch {
    signal?.throwIfAborted();
    return { ok: false, kind: 'unreachable', status: 0, message: '' };
  }
}

async function readAnswer<Body>(path: string, response: Response): Promise<Answer<Body>> {
  const told = (await response.json().catch(() => ({}))) as Partial<Refused> & { readonly result?: Body };
  if (response.ok && told.result !== undefined) {
    const etag = response.headers.get('etag');
    return { ok: true, body: told.result, ...(etag === null ? {} : { etag }) };
  }
  const kind = kindOf(path, response.status);
  if (kind === 'signedOut') signedOutHere();
  const { message = '', reason, problems, changed } = told;
  const wait = response.headers.get('retry-after');
  return {
    ok: false,
    kind,
    status: response.status,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(wait === null ? {} : { retryAfter: Number(wait) }),
    ...(problems === undefined ? {} : { problems }),
    ...(changed === undefined ? {} : { changed }),
  };
}

/** The session has ended: the page says so, and lets the operator sign in again. */
export function signedOutHere(): void {
  batch(() => {
    signedIn.value = false;
    signedOut.value = true;
  });
}

/** What is asked for as a whole exists wherever there is an admin API; single things may not. */
export function kindOf(path: string, status: number): RefusalKind {
  if (status === 404) return /^\/[a-z]+(?:\?|$)/.test(path) ? 'off' : 'notFound';
  return KINDS[status] ?? 'broken';
}
