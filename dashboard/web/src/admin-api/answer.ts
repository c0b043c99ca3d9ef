import { batch } from '@preact/signals';
import { signedIn, signedOut } from '../live/live-state.ts';

/** What the server said. */
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

/** The server gives up before, so that a longer wait is a lost connection, ms. */
const WAIT_MS = 30_000;
/** After this a question is put again whose connection broke, ms. */
const ASK_AGAIN_MS = 300;

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
 * Asks this server as the operator who is signed in; an answer that the session has ended signs the page out. What only
 * reads is asked for once more where the connection broke: browsers break all of them when a network comes or goes. Never
 * rejects, but when `signal` aborts: then with its reason.
 *
 * @param bodyOf what of the JSON of a success is wanted; `undefined` where it is not there
 */
export async function askServer<Body>(
  url: string,
  { signal, ...init }: Omit<RequestInit, 'signal'> & { readonly signal?: AbortSignal | undefined },
  bodyOf: (said: unknown) => Body | undefined,
): Promise<Answer<Body>> {
  const late = AbortSignal.timeout(WAIT_MS);
  try {
    const ends = signal === undefined ? late : AbortSignal.any([signal, late]);
    const ask = () => fetch(url, { ...init, signal: ends });
    const response = await ask().catch(async (error: unknown) => {
      if ((init.method ?? 'GET') !== 'GET' || ends.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      return ask();
    });
    const said: unknown = await response.json().catch(() => undefined);
    const body = response.ok ? bodyOf(said) : undefined;
    if (body === undefined) return refusalOf(url, response, said);
    const etag = response.headers.get('etag');
    return { ok: true, body, ...(etag === null ? {} : { etag }) };
  } catch {
    signal?.throwIfAborted();
    return { ok: false, kind: 'unreachable', status: 0, message: '' };
  }
}

function refusalOf(url: string, { status, headers }: Response, said: unknown): Refused {
  const { message = '', reason, problems, changed } = (said ?? {}) as Partial<Refused>;
  const kind = kindOf(url, status);
  if (kind === 'signedOut') endSession();
  const wait = headers.get('retry-after');
  return {
    ok: false,
    kind,
    status,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(wait === null ? {} : { retryAfter: Number(wait) }),
    ...(problems === undefined ? {} : { problems }),
    ...(changed === undefined ? {} : { changed }),
  };
}

/** The session has ended: the page says so, and lets the operator sign in again. */
function endSession(): void {
  batch(() => {
    signedIn.value = false;
    signedOut.value = true;
  });
}

/** What is asked for as a whole exists wherever there is an admin API; single things may not. */
export function kindOf(url: string, status: number): RefusalKind {
  if (status === 404) return /^\/admin\/v1\/[a-z]+(?:\?|$)/.test(url) ? 'off' : 'notFound';
  return KINDS[status] ?? 'broken';
}
