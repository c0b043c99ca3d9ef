import type { ModelCatalog, ModelConfig, RouteConfig, UpstreamConfig } from '@lontar/shared/models/catalog.ts';
import type { OutcomeClass } from '@lontar/shared/models/upstream-state.ts';
import type { RedisClock, RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { within } from '@lontar/shared/within.ts';
import type { LanguageModel } from '../model/language-model.ts';
import type { CallsLately } from './calls-lately.ts';
import type { FirstTokenTimes } from './first-token-times.ts';
import { type Taken, takeRoute, type UpstreamTerms } from './fleet-scripts.ts';
import type { CallOutcome, EndJudge } from './judge-end.ts';
import type { Known } from './known-upstream.ts';
import { labelsOf, type RouteLabels } from './metric-labels.ts';
import { type Candidate, orderRoutes } from './order-routes.ts';
import { hasFailedLately } from './upstream-state.ts';
import type { UpstreamWatch } from './upstream-watch.ts';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

/** A Redis that has not answered by then is away, as far as this choice goes, ms. */
const ROUND_TRIP_MS = 250;
/** Places of other workers become free without a word, ms. */
const ASK_AGAIN_MS = 100;
/** A call that begins with less time than this before the deadline cannot succeed. */
const SHORTEST_CALL_MS = 50;

export interface Ask {
  /** Public name. */
  readonly model: string;
  /** No other call has it. */
  readonly callId: string;
  /** Routes that the request has been sent to in this start, without an answer, by `keyOfRoute`. */
  readonly tried: ReadonlySet<string>;
  /** About how many tokens the call will use; asked only where a limit counts them. */
  readonly estimateTokens: () => number;
  readonly deadlineAt: RedisTime;
  /** Whether the choice waits, within the deadline, until a route can take a call. */
  readonly waits: boolean;
  /** Where it fails, no other may follow: an earlier one may have cost money. */
  readonly isLastCall?: boolean;
  readonly signal: AbortSignal;
}

export type Choice =
  | {
      readonly kind: 'route';
      readonly model: ModelConfig;
      readonly route: RouteConfig;
      readonly upstream: UpstreamConfig;
      readonly language: LanguageModel;
      /** What metrics call it. */
      readonly labels: RouteLabels;
      /** Whether the model has routes that were not tried. */
      readonly hasOthers: boolean;
      /** Whether calls are kept away from upstreams that are not well, or want to be left alone. */
      readonly binds: boolean;
      /** Where the model's calls are to be hedged: how long one has for its first part, ms; absent while that is not known. */
      readonly hedgeAfterMs?: number | undefined;
      /** Says how the call ended, and gives its place back; called once. Returns what that says of the upstream. */
      done(outcome: CallOutcome): OutcomeClass;
    }
  /** No route can take a call; the soonest can in so many ms. */
  | { readonly kind: 'none'; readonly retryInMs: number }
  /** The catalog in force does not have the model. */
  | { readonly kind: 'unknown' }
  /** The worker stops: another one may have a place. */
  | { readonly kind: 'stopping' };

export interface RouteChooser {
  /**
   * Chooses a route and takes its place, with at most one round trip to Redis, and with none where no route of the model has
   * a limit and all are well. Never rejects: where Redis fails, it goes by what this worker knows.
   */
  choose(ask: Ask): Promise<Choice> | Choice;
  /** Something has changed: those that wait are tried again. */
  wake(): void;
  /** Sends away those who wait, and lets nobody wait any more. */
  close(): void;
}

export interface ChooserDeps {
  readonly redis: Redis;
  readonly clock: Pick<RedisClock, 'now'>;
  readonly catalog: () => ModelCatalog;
  readonly languageModel: (upstream: string) => LanguageModel | undefined;
  readonly watch: UpstreamWatch;
  readonly firstTokens: FirstTokenTimes;
  readonly ends: EndJudge;
  /** Told of each call that has ended. */
  readonly calls: Pick<CallsLately, 'note'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Called with how many requests wait for a route, whenever that changes. */
  readonly onWaiting: (count: number) => void;
  readonly onError: (error: unknown) => void;
}

type Try = Exclude<Choice, { kind: 'none' }> | number;

/** Never throws, nor do its methods. */
export function createRouteChooser(deps: ChooserDeps): RouteChooser {
  const lines = new Map<string, WaitingLine<Choice>>();
  let waiting = 0;
  let isClosed = false;
  const countWaiting = (change: 1 | -1) => {
    waiting += change;
    deps.onWaiting(waiting);
  };
  const lineOf = (model: string) => {
    const line = lines.get(model) ?? createWaitingLine<Choice>(() => lines.delete(model));
    lines.set(model, line);
    return line;
  };
  const waitFor = async (ask: Ask): Promise<Choice> => {
    countWaiting(1);
    try {
      return await lineOf(ask.model).wait(
        async () => {
          if (isClosed) return { kind: 'stopping' };
          const tried = await tryRoutes(deps, ask);
          if (typeof tried !== 'number') return tried;
          return isTooLate(deps, ask, tried) ? { kind: 'none', retryInMs: tried } : Math.max(1, tried);
        },
        ask.signal,
        {
          give: () => ({ kind: 'none', retryInMs: 0 }),
          // Its place would be renewed for ever, and where it was to try the upstream, nobody else would.
          takeBack: (choice) => choice.kind === 'route' && choice.done({ kind: 'ended by us' }),
        },
      );
    } finally {
      countWaiting(-1);
    }
  };
  const judge = (ask: Ask, tried: Try): Promise<Choice> | Choice => {
    if (typeof tried !== 'number') return tried;
    if (!ask.waits || isTooLate(deps, ask, tried)) return { kind: 'none', retryInMs: tried };
    return waitFor(ask);
  };
  const wake = () => lines.forEach((line) => line.wake());
  return {
    choose(ask) {
      // Those that wait for the same model come first.
      if (lines.has(ask.model)) return ask.waits ? waitFor(ask) : { kind: 'none', retryInMs: ASK_AGAIN_MS };
      const tried = tryRoutes(deps, ask);
      return tried instanceof Promise ? tried.then((known) => judge(ask, known)) : judge(ask, tried);
    },
    wake,
    close() {
      isClosed = true;
      wake();
    },
  };
}

function isTooLate({ clock }: ChooserDeps, { deadlineAt }: Ask, waitMs: number): boolean {
  return clock.now() + waitMs > deadlineAt - SHORTEST_CALL_MS;
}

/** A route and what binds calls to it. */
interface Option extends Candidate {
  readonly upstream: UpstreamConfig;
  readonly language: LanguageModel;
  readonly known: Known;
  readonly terms: UpstreamTerms;
}

function tryRoutes(deps: ChooserDeps, ask: Ask): Promise<Try> | Try {
  const catalog = deps.catalog();
  const model = catalog.models.get(ask.model);
  if (model === undefined) return { kind: 'unknown' };
  const options = optionsOf(deps, catalog, model, ask.tried);
  if (options.length === 0) return ask.tried.size > 0 ? ASK_AGAIN_MS : { kind: 'unknown' };
  const able = ableOf(options, deps.random, ask.isLastCall);
  const [first] = able;
  if (first === undefined) return Math.min(...options.map(({ waitMs }) => waitMs));
  const taking = { catalog, model, ask };
  return isFree(first) ? take(deps, taking, first) : takeInRedis(deps, taking, able);
}

function ableOf(options: readonly Option[], random: () => number, isLastCall?: boolean): Option[] {
  if (options.length === 1) return options.filter(({ waitMs }) => waitMs === 0);
  const ordered = orderRoutes(options, random, isLastCall).map((route) => options.find((each) => each.route === route));
  return ordered.filter((option) => option !== undefined);
}

/** What a route's name is made of: two routes may lead to one upstream. */
export function keyOfRoute({ upstream, model }: RouteConfig): string {
  return `${upstream}/${model}`;
}

interface Taking {
  readonly catalog: ModelCatalog;
  readonly model: ModelConfig;
  readonly ask: Ask;
}

function optionsOf(
  { watch, clock, languageModel }: ChooserDeps,
  catalog: ModelCatalog,
  model: ModelConfig,
  tried: ReadonlySet<string>,
): Option[] {
  const now = clock.now();
  return model.routes.flatMap((route) => {
    const upstream = catalog.upstreams.get(route.upstream);
    const language = languageModel(route.upstream);
    if (upstream === undefined || language === undefined || tried.has(keyOfRoute(route))) return [];
    const terms = termsOf(upstream, catalog);
    const isLimited = terms.mostInFlight + terms.callsPerMinute + terms.tokensPerMinute > 0;
    const known = watch.known(upstream.name, isLimited);
    const adaptive = terms.binds ? Math.floor(known.state.limit / 1_000) : 0;
    const limits = [terms.mostInFlight, adaptive].filter((limit) => limit > 0);
    const most = limits.length > 0 ? Math.min(...limits) : undefined;
    const free = most === undefined ? undefined : Math.max(0, most - known.taken);
    return [{ ...waitOf(known, terms, now), route, upstream, language, known, terms, most, free }];
  });
}

/**
 * What keeps calls away from an upstream. Where there is no file of models, there is no other upstream to go to: then its
 * breaker and what it seems to bear are told of and bind nobody, and callers get the answers that they got before.
 */
function termsOf(upstream: UpstreamConfig, catalog: ModelCatalog): UpstreamTerms {
  return {
    upstream: upstream.name,
    mostInFlight: upstream.maxInFlight ?? 0,
    callsPerMinute: upstream.requestsPerMinute ?? 0,
    tokensPerMinute: upstream.tokensPerMinute ?? 0,
    binds: catalog.source === 'file',
  };
}

/** The same as in take-route.lua, as far as this worker knows. That places are taken Redis alone can say. */
function waitOf({ state }: Known, { binds }: UpstreamTerms, now: RedisTime) {
  if (!binds) return { waitMs: 0, isProbeDue: false, isDoubtful: false };
  const isDoubtful = hasFailedLately(state, now);
  const aloneMs = Math.max(0, state.aloneUntil - now);
  if (state.openUntil === 0) return { waitMs: aloneMs, isProbeDue: aloneMs === 0 && state.tryFrom > 0, isDoubtful };
  const openMs = Math.max(0, state.openUntil - now);
  return { waitMs: Math.max(aloneMs, openMs), isProbeDue: aloneMs + openMs === 0, isDoubtful };
}

/** Nothing has to be taken for such a call. */
function isFree({ terms, most, isProbeDue }: Option): boolean {
  return most === undefined && !isProbeDue && terms.callsPerMinute === 0 && terms.tokensPerMinute === 0;
}

async function takeInRedis(deps: ChooserDeps, taking: Taking, able: readonly Option[]): Promise<Try> {
  const { ask } = taking;
  const terms = able.map((option) => option.terms);
  const tokens = terms.some(({ tokensPerMinute }) => tokensPerMinute > 0) ? ask.estimateTokens() : 0;
  let taken: Taken | undefined;
  try {
    taken = await within(ROUND_TRIP_MS, takeRoute(deps.redis, ask.callId, tokens, terms));
  } catch (error) {
    deps.onError(error);
  }
  if (taken === undefined) return takeAlone(deps, taking, able);
  for (const [index, seen] of taken.seen.entries()) deps.watch.note(able[index]?.upstream.name ?? '', seen);
  const chosen = taken.index === undefined ? undefined : able[taken.index];
  if (chosen === undefined) return Math.max(1, taken.retryInMs);
  return take(deps, taking, chosen, { hasPlace: true, tokens });
}

/** Without Redis each worker keeps to the limits as if it were alone: better than to refuse, and it cannot know more. */
function takeAlone(deps: ChooserDeps, taking: Taking, able: readonly Option[]): Try {
  const option = able.find(({ most = Number.POSITIVE_INFINITY, known }) => known.own < most);
  return option === undefined ? ASK_AGAIN_MS : take(deps, taking, option);
}

function take(
  { watch, clock, firstTokens, ends, calls }: ChooserDeps,
  { catalog, model, ask: { callId, tried } }: Taking,
  { route, upstream, language, terms }: Option,
  taken = { hasPlace: false, tokens: 0 },
): Choice & Try {
  watch.began(upstream.name, callId, taken.hasPlace);
  const beganAt = performance.now();
  return {
    kind: 'route',
    model,
    route,
    upstream,
    language,
    labels: labelsOf(catalog, upstream.name, model.name),
    hasOthers: model.routes.length > tried.size + 1,
    binds: terms.binds,
    hedgeAfterMs: model.hedgeAfter === 'p95' ? firstTokens.p95(model.name) : undefined,
    done(outcome) {
      const { retryAfterMs, tokens, firstTokenMs } = outcome;
      const judged = ends.judge(model, upstream.name, beganAt, outcome);
      if (model.hedgeAfter !== undefined && firstTokenMs !== undefined) firstTokens.add(model.name, firstTokenMs);
      const isCounted = taken.hasPlace && terms.tokensPerMinute > 0 && tokens !== undefined;
      const call = { model: model.name, route, durationMs: performance.now() - beganAt, firstTokenMs };
      calls.note({ ...call, class: judged.class }, clock.now());
      const moreTokens = isCounted ? tokens - taken.tokens : 0;
      watch.ended(upstream.name, callId, { ...judged, retryAfterMs, moreTokens });
      return judged.class;
    },
  };
}
