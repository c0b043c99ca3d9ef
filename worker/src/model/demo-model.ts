import { setTimeout as wait } from 'node:timers/promises';
import { type ChatMessage, textOf } from '@lontar/shared/chat-request.ts';
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
      const system = textOfRole(request, 'system');
      const prompt = textOfRole(request, 'user');
      return cutToTokens(request, system + prompt, demoAnswer({ seed, system, prompt }));
    },
    close: () => Promise.resolve(),
  };
}

/** Cuts between words only: no made-up secret holds a space, so that none can lose the part by which it is known. */
function cutToTokens({ maxOutputTokens }: ModelRequest, asked: string, whole: string): ModelResult {
  const limit = maxOutputTokens * CHARS_PER_TOKEN;
  const text = whole.length <= limit ? whole : whole.slice(0, whole.slice(0, limit + 1).search(/\s\S*$/)).trimEnd();
  return {
    text,
    usage: { input: tokensOf(asked), output: tokensOf(text) },
    finishReason: text === whole ? 'stop' : 'length',
  };
}

function textOfRole({ chat }: ModelRequest, role: ChatMessage['role']): string {
  return textOf({ messages: chat.messages.filter((message) => message.role === role) });
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}
