import { type Attempt, startAttempt } from '../attempt.ts';
import { GrowingBytes } from '../growing-bytes.ts';
import type { BodyReader, HttpCaller, ResponseHeaders } from './http-caller.ts';

/** What kind of server an upstream is, as far as it changes how it is asked. */
export interface KnownServer {
  /**
   * Whether it works on for a caller who left, unless that caller had asked for a stream: such a server is asked for
   * streams alone. Before the first answer its list of models is looked at, for a second at most. Never rejects.
   */
  readonly worksOnAfterAbort: (attempt: Attempt) => boolean | Promise<boolean>;
  /** Takes in the headers of any answer. */
  readonly learn: (headers: ResponseHeaders) => void;
}

interface ListOptions {
  readonly http: HttpCaller;
  /** Of the list of models. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How long the first request may wait for the list of models, ms. */
const LIST_TIMEOUT_MS = 1_000;
const LIST_DEADLINES = {
  connectMs: LIST_TIMEOUT_MS,
  firstTokenMs: LIST_TIMEOUT_MS,
  idleMs: LIST_TIMEOUT_MS,
  totalMs: LIST_TIMEOUT_MS,
};
/** After that what is known is looked at again, ms: another server may stand behind the same URL. */
const KNOWN_FOR_MS = 60 * 60_000;
/** How soon a list that could not be had is asked for again, ms. */
const LIST_AGAIN_MS = 60_000;
const MOST_LIST_BYTES = 1_048_576;

/** Knows a server by its own headers, and by its list of models where a proxy has cut those. */
export function createKnownServer({ http, path, headers }: ListOptions): KnownServer {
  let works: boolean | undefined;
  let lookAgainAt = 0;
  let looking: Promise<void> | undefined;

  const learn = (answered: ResponseHeaders) => {
    // An error page of a proxy in front of it says nothing against what is known.
    if (isMarked(answered)) works = true;
    else works ??= false;
  };
  const look = async () => {
    const attempt = startAttempt(new AbortController().signal, LIST_DEADLINES);
    lookAgainAt = performance.now() + LIST_AGAIN_MS;
    try {
      works = await http.call({
        method: 'GET',
        path,
        headers,
        body: null,
        attempt,
        reader: () => new ListReader(),
        // A server that serves one connection at a time must not wait for this one.
        isLast: true,
        onResend: () => undefined,
      });
      lookAgainAt = performance.now() + KNOWN_FOR_MS;
    } catch {
      // The answers' own headers will tell.
    } finally {
      attempt.finish();
      looking = undefined;
    }
  };
  return {
    learn,
    worksOnAfterAbort(attempt) {
      if (performance.now() >= lookAgainAt) looking ??= look();
      if (works !== undefined || looking === undefined) return works ?? false;
      const left = new Promise<void>((resolve) => attempt.atEnd(resolve));
      return Promise.race([looking, left]).then(() => works ?? false);
    },
  };
}

/** Measured: llama.cpp worked on for 17 s, LiteLLM's proxy for more than 20 s; vLLM notices in 11 ms. */
function isMarked(headers: ResponseHeaders): boolean {
  return (
    /^llama\.cpp/i.test(String(headers['server'])) ||
    headers['x-litellm-call-id'] !== undefined ||
    headers['x-litellm-version'] !== undefined ||
    headers['x-litellm-model-id'] !== undefined
  );
}

/** What LiteLLM says of every model that it lists; of OpenAI's own models one was made in that second. */
const LITELLM_CREATED = 1_677_610_602;

function isMarkedList(text: string): boolean {
  try {
    const { data } = JSON.parse(text) as { data?: unknown };
    const models = Array.isArray(data) ? (data as ({ owned_by?: unknown; created?: unknown } | null)[]) : [];
    return (
      models.some((model) => model?.owned_by === 'llamacpp') ||
      (models.length > 0 && models.every((model) => model?.created === LITELLM_CREATED))
    );
  } catch {
    return false;
  }
}

class ListReader implements BodyReader<boolean> {
  #isMarked = false;
  readonly #text = new GrowingBytes();
  #length = 0;

  begin(_status: number, headers: ResponseHeaders): void {
    this.#isMarked = isMarked(headers);
  }

  read(chunk: Buffer): 'more' | 'complete' {
    this.#length += chunk.byteLength;
    if (this.#isMarked || this.#length > MOST_LIST_BYTES) return 'complete';
    this.#text.add(chunk);
    return 'more';
  }

  end(): boolean {
    return this.#isMarked || isMarkedList(this.#text.take().toString('utf8'));
  }
}
