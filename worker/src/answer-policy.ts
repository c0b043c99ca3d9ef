import { setImmediate as othersHadTheirTurn } from 'node:timers/promises';
import type { ChatMessage } from '@lontar/shared/chat-request.ts';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import type { Masker } from './masking/mask.ts';

/** Characters of a request that are searched for the caller's own values, the latest first. */
export const MOST_OWN_TEXT = 1_000_000;
/** Values that are kept for a caller, the latest first: what an answer may be tried against. */
export const MOST_OWN_VALUES = 1_000;

/** How an answer is masked for its caller. */
export interface AnswerPolicy {
  readonly masker: Masker;
  /** Whether the caller may see what others may not: the operator's log then needs a form of its own. */
  readonly showsMore: boolean;
}

/**
 * What the caller's key says of masking. It holds for the OpenAI protocol alone: the endpoints with a persona promise that
 * everything is masked, whatever the key says. Never rejects: where the caller's own values cannot be found, for example
 * because that would take too much work, none is kept.
 *
 * @param masker masks everything
 */
export async function answerPolicyOf(masker: Masker, job: GenerationJob): Promise<AnswerPolicy> {
  const { mask, keepOwn = false } = (job.v === 2 && job.policy) || {};
  if (job.v !== 2 || (mask === undefined && !keepOwn)) return { masker, showsMore: false };
  const keep = keepOwn ? await findOwnValues(masker, job.chat.messages) : undefined;
  const policy = { ...(mask && { types: mask }), ...(keep && { keep }) };
  return { masker: masker.withPolicy(policy), showsMore: true };
}

/** Values in the messages that would be masked, in slices, between which other jobs have their turn. */
async function findOwnValues(masker: Masker, messages: readonly ChatMessage[]): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  try {
    const steps = masker.valuesInSlices(messages.map(textOf).join('\n\n').slice(-MOST_OWN_TEXT));
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) await othersHadTheirTurn();
    for (const value of step.value.toReversed()) {
      if (own.size >= MOST_OWN_VALUES) break;
      own.add(value);
    }
    return own;
  } catch {
    return new Set();
  }
}

/** What a message says, the arguments of its tool calls too: agents send back what they were given. */
function textOf(message: ChatMessage): string {
  const { content } = message;
  const parts =
    typeof content === 'string' ? [content] : content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return [...parts, ...calls.map((call) => call.arguments)].join('\n');
}
