import type { CatalogSource } from '@lontar/shared/models/catalog.ts';

/** Gateways and workers look at the file of models once a second, and take it up when it has stood still for one. */
const TAKEN_UP_WITHIN_MS = 5_000;

/**
 * Whether the worker knows a model. A gateway may have taken up a changed file some seconds before: that long a job waits
 * for its model, and costs nothing meanwhile.
 *
 * @param signal ends the waiting
 * @param withinMs another wait, for tests
 */
export function knowsModel(
  source: Pick<CatalogSource, 'current' | 'onChange'>,
  model: string,
  signal: AbortSignal,
  withinMs: number = TAKEN_UP_WITHIN_MS,
): boolean | Promise<boolean> {
  if (source.current.models.has(model)) return true;
  if (source.current.source === 'variables' || signal.aborted) return false;
  return new Promise((resolve) => {
    const end = (isKnown: boolean) => {
      clearTimeout(timer);
      unfollow();
      signal.removeEventListener('abort', giveUp);
      resolve(isKnown);
    };
    const giveUp = () => end(false);
    const timer = setTimeout(giveUp, withinMs);
    const unfollow = source.onChange((catalog) => {
      if (catalog.models.has(model)) end(true);
    });
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
