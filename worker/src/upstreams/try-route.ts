import { createCatalog, fixedSource, type ModelCatalog, type RouteConfig } from '@lontar/shared/models/catalog.ts';
import type { SecretOf } from '@lontar/shared/models/secrets.ts';
import { createMasker } from '../masking/mask.ts';
import { ModelError, type ModelErrorKind } from '../model/language-model.ts';
import { openUpstreams } from './open-upstreams.ts';

/** What one tiny call over a route came to. */
export type RouteTrial =
  | { readonly ok: true; readonly tookMs: number; readonly inputTokens: number; readonly outputTokens: number }
  /** `words`: what the operator may read of the upstream's own, masked, and what to do. */
  | { readonly ok: false; readonly tookMs: number; readonly error: ModelErrorKind; readonly words?: string };

const PROMPT = 'Say hello in one word.';
/** Enough for a word, and for some thinking before it. */
const MOST_OUTPUT_TOKENS = 200;
const MOST_ANSWER_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;

/**
 * Makes one tiny call over a route, as a worker would. It costs what so short an answer costs. Never rejects: a failure is
 * what came of it.
 */
export async function tryRoute(catalog: ModelCatalog, route: RouteConfig, secretOf: SecretOf): Promise<RouteTrial> {
  const upstream = catalog.upstreams.get(route.upstream);
  const source = fixedSource(createCatalog(catalog.source, upstream ? [upstream] : [], []));
  const secret = upstream?.apiKey && secretOf(upstream.apiKey);
  const masker = createMasker({ knownValues: secret ? [secret] : [] });
  const settings = { timeoutMs: TIMEOUT_MS, maxAnswerBytes: MOST_ANSWER_BYTES, secretOf };
  const upstreams = openUpstreams(source, settings, { redact: (words) => masker.mask(words).text });
  const begun = performance.now();
  const took = () => Math.round(performance.now() - begun);
  try {
    const language = upstreams.languageModel(route.upstream);
    if (language === undefined) throw new ModelError('refused');
    const { usage } = await language.generate(
      {
        requestId: 'req_trial',
        model: route.model,
        chat: { messages: [{ role: 'user', content: PROMPT }] },
        maxOutputTokens: MOST_OUTPUT_TOKENS,
        isDefaultOutput: true,
      },
      new AbortController().signal,
    );
    return { ok: true, tookMs: took(), inputTokens: usage.input, outputTokens: usage.output };
  } catch (error) {
    if (!(error instanceof ModelError)) return { ok: false, tookMs: took(), error: 'invalid_answer' };
    const { upstreamStatus, upstreamMessage, advice } = error.upstream ?? {};
    const words = [upstreamStatus && `HTTP ${upstreamStatus}`, upstreamMessage ?? error.message, advice];
    return { ok: false, tookMs: took(), error: error.kind, words: words.filter(Boolean).join(': ') };
  } finally {
    await upstreams.close();
  }
}
