import { Agent, request } from 'undici';
import type { Redact } from './upstream-words.ts';

/** What an upstream says that it has. */
export type ListedModels =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  /** There is no list at this path: most often the base URL is wrong. */
  | { readonly kind: 'nothing here' }
  | { readonly kind: 'unknown' };

export interface ModelListOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A name that masking would change is not told. */
  readonly redact: Redact;
  /** How long it may take, ms; a second where absent, because a failed request waits for it. */
  readonly timeoutMs?: number;
}

const LIST_TIMEOUT_MS = 1_000;
const MOST_LIST_BYTES = 1_048_576;
/** What is known is told again for so long, ms: requests that fail for one reason must not each ask for it. */
const KNOWN_FOR_MS = 60_000;
const MOST_NAMES = 1_000;

/**
 * Asks an upstream for the names of its models, at most once a minute, within a bounded time, and without keeping a connection.
 * The list is OpenAI's (`data`), Gemini's or Ollama's (`models`). The function it gives never rejects.
 */
export function createModelList(options: ModelListOptions): () => Promise<ListedModels> {
  let asked: Promise<ListedModels> | undefined;
  let askAgainAt = 0;
  return () => {
    if (asked === undefined || performance.now() >= askAgainAt) {
      askAgainAt = performance.now() + KNOWN_FOR_MS;
      asked = listModels(options).catch(() => ({ kind: 'unknown' }) as const);
    }
    return asked;
  };
}

async function listModels({
  url,
  headers,
  redact,
  timeoutMs = LIST_TIMEOUT_MS,
}: ModelListOptions): Promise<ListedModels> {
  const agent = new Agent({ connectTimeout: timeoutMs });
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { statusCode, body } = await request(url, { dispatcher: agent, headers, signal });
    if (statusCode === 404) return { kind: 'nothing here' };
    if (statusCode !== 200) return { kind: 'unknown' };
    const names = namesOf(JSON.parse(await readBounded(body))).filter((name) => redact(name) === name);
    return names.length === 0 ? { kind: 'unknown' } : { kind: 'names', names };
  } finally {
    await agent.destroy();
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MOST_LIST_BYTES) throw new Error('The list is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function namesOf(body: unknown): string[] {
  const { data, models } = (body ?? {}) as { data?: unknown; models?: unknown };
  const list = [data, models].find(Array.isArray) ?? [];
  return list.slice(0, MOST_NAMES).flatMap((model: unknown) => {
    const { id, name } = (model ?? {}) as { id?: unknown; name?: unknown };
    const named = typeof id === 'string' ? id : name;
    if (typeof named !== 'string' || !/^[\w./:@+-]{1,100}$/.test(named)) return [];
    // Gemini's names have the path of the list before them, which requests leave out.
    return [named.replace(/^models\//, '')];
  });
}
