import { setTimeout as wait } from 'node:timers/promises';
import { demoAnswer } from './demo-answer.ts';
import { type LanguageModel, ModelError, type ModelRequest, type ModelResult } from './language-model.ts';

/** About how many characters of English or Indonesian make one token. */
const CHARS_PER_TOKEN = 4;

export interface DemoOptions {
  /** How long an answer takes, ms. */
  readonly latencyMs?: number;
  /** Changes all made-up values. */
  readonly seed?: string;
}

/**
 * A model that is built in and offline, so that the service answers from the first minute. The same seed, persona and
 * prompt give the same answer; it says what it is, and holds made-up secrets so that masking can be seen.
 */
export function demoModel({ latencyMs = 0, seed = '' }: DemoOptions = {}): LanguageModel {
  return {
    provider: 'demo',
    async generate(request, signal) {
      try {
        if (latencyMs > 0) await wait(latencyMs, undefined, { signal });
        signal.throwIfAborted();
      } catch {
        throw new ModelError('cancelled');
      }
      return cutToTokens(request, demoAnswer({ seed, system: request.system, prompt: request.prompt }));
    },
    close: () => Promise.resolve(),
  };
}

/** Cuts between words only: no made-up secret holds a space, so that none can lose the part by which it is known. */
function cutToTokens({ system, prompt, maxOutputTokens }: ModelRequest, whole: string): ModelResult {
  const limit = maxOutputTokens * CHARS_PER_TOKEN;
  const text = whole.length <= limit ? whole : whole.slice(0, whole.slice(0, limit + 1).search(/\s\S*$/)).trimEnd();
  return {
    text,
    usage: { input: tokensOf(system) + tokensOf(prompt), output: tokensOf(text) },
    finishReason: text === whole ? 'stop' : 'length',
  };
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}
