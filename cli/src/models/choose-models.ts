import type { PublicModel } from '@lontar/shared/endpoints.ts';
import type { FoundUpstream } from './find-upstreams.ts';

/** The upstream's name for each model that there always is. */
export type ChosenModels = Readonly<Record<PublicModel, string>>;

/** What speaks for the fast and for the strong one, by the words in names; earlier ones more. */
const FAST = [/gemini-2\.5-flash$/, /gpt-4\.1-mini$/, /haiku/, /flash/, /(?<!ge)mini/, /small|lite|nano|instant|fast/];
const STRONG = [/gemini-2\.5-pro$/, /gpt-4\.1$/, /sonnet/, /pro$/, /opus/, /large|medium|max/];

/**
 * Chooses which model of an upstream is the fast one and which the strong one: by their names, then by the number of
 * their parameters, else the first for both.
 */
export function chooseModels({ models }: Pick<FoundUpstream, 'models'>): ChosenModels {
  const [first = ''] = models;
  const bySize = models
    .flatMap((name) => (sizeOf(name) === undefined ? [] : [{ name, size: sizeOf(name) ?? 0 }]))
    .toSorted((a, b) => a.size - b.size);
  const fast = firstOf(models, FAST) ?? bySize[0]?.name ?? first;
  const strong = firstOf(models, STRONG) ?? bySize.at(-1)?.name ?? first;
  return { 'ai-2.5-flash': fast, 'ai-2.5-pro': strong };
}

function firstOf(models: readonly string[], words: readonly RegExp[]): string | undefined {
  for (const word of words) {
    const found = models.find((name) => word.test(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Billions of parameters, as in `qwen3:32b` and `Llama-3.1-8B-Instruct`. */
function sizeOf(name: string): number | undefined {
  const size = /(?:^|[^a-z0-9.])(\d{1,4}(?:\.\d{1,2})?)b(?![a-z0-9])/i.exec(name)?.[1];
  return size === undefined ? undefined : Number(size);
}
