import { PUBLIC_MODELS } from '@lontar/shared/endpoints.ts';
import { createCatalog } from '@lontar/shared/models/catalog.ts';
import { UNKNOWN_STATE } from '@lontar/shared/models/upstream-state.ts';
import { Redis } from 'ioredis';
import type { LanguageModel } from '../src/model/language-model.ts';
import type { ProcessDeps } from '../src/process-generation.ts';
import { createCallsLately } from '../src/upstreams/calls-lately.ts';
import { createFirstTokenTimes } from '../src/upstreams/first-token-times.ts';
import { createEndJudge } from '../src/upstreams/judge-end.ts';
import { createRouteChooser } from '../src/upstreams/route-chooser.ts';

/**
 * One upstream that answers for every public model, and is always well.
 *
 * @param nameOf its own name of a public model
 */
export function oneUpstream(
  language: LanguageModel,
  nameOf: (model: string) => string = (model) => model,
): Pick<ProcessDeps, 'catalog' | 'chooser'> {
  const deadlines = { connectMs: 10_000, firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
  const models = PUBLIC_MODELS.map((name) => {
    const routes = [{ upstream: 'only', model: nameOf(name), weight: 1, order: 1 }];
    return { name, aliases: [], routes, deadlines };
  });
  const current = createCatalog('variables', [{ name: 'only', provider: 'demo', stream: 'auto' }], models);
  const nothing = () => undefined;
  const chooser = createRouteChooser({
    // It is not asked: one route without limits takes no place.
    redis: new Redis({ lazyConnect: true }),
    clock: { now: () => Date.now() as ReturnType<ProcessDeps['clock']['now']> },
    catalog: () => current,
    languageModel: (name) => (name === 'only' ? language : undefined),
    watch: {
      known: () => ({ state: UNKNOWN_STATE, taken: 0, own: 0, isOutOfReach: false }),
      ...{ note: nothing, began: nothing, ended: nothing, all: () => [], look: () => Promise.resolve(), stop: nothing },
    },
    firstTokens: createFirstTokenTimes(),
    ends: createEndJudge(),
    calls: createCallsLately(),
    random: Math.random,
    onWaiting: nothing,
    onError: nothing,
  });
  return { catalog: { current, onChange: () => nothing }, chooser };
}
