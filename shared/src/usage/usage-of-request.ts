import { utcDay } from '../event-counts.ts';
import { isAnswer, isGenerationRoute, type RequestEvent } from '../request-event.ts';
import { COUNT_OF_OUTCOME, NO_MODEL, type UsageCount } from './usage-counts.ts';

const MOST_MODEL_CHARACTERS = 100;
/** No request has more, and a sum of such stays exact for longer than usage is kept. */
const MOST_TOKENS = 1_000_000_000;

/** What one request adds to the usage of its key. */
export interface UsageOfRequest {
  readonly day: string;
  readonly model: string;
  readonly counts: readonly (readonly [UsageCount, number])[];
}

/** @returns `undefined` for what is no request for generation */
export function usageOf(event: RequestEvent): UsageOfRequest | undefined {
  if (!isGenerationRoute(event.route)) return undefined;
  const { model = NO_MODEL, usage, masked } = event.generation ?? {};
  const counts: [UsageCount, number][] = [];
  const count = (name: UsageCount, amount: number) => {
    if (amount > 0) counts.push([name, amount]);
  };
  if (isAnswer(event)) {
    count('requests', 1);
    count(COUNT_OF_OUTCOME[event.outcome], 1);
    // As the counters of the service have it: text that nobody got was not masked for anybody.
    const isMasked = Object.values(masked ?? {}).some((values) => values >= 0.5);
    if (event.outcome === 'success' && isMasked) count('masked', 1);
  } else count('left', 1);
  const [prompt, completion] = [whole(usage?.input), whole(usage?.output)];
  count('promptTokens', prompt);
  count('completionTokens', completion);
  if (usage?.isEstimated === true) count('estimatedTokens', prompt + completion);
  return { day: utcDay(event.at), model: model.slice(0, MOST_MODEL_CHARACTERS), counts };
}

function whole(tokens: number | undefined): number {
  return Math.min(Math.max(Math.round(tokens ?? 0) || 0, 0), MOST_TOKENS);
}
