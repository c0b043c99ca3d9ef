import { type Call, type CallDeps, type CallResult, callModel } from './call-model.ts';
import type { ModelPart } from './model/language-model.ts';

export interface HedgedResult {
  readonly result: CallResult;
  /** Which call the result is of. */
  readonly call: Call;
  /** The call that was given up for it, and how it ended; absent where there was one call alone. */
  readonly loser?: { readonly call: Call; readonly result: CallResult };
}

export interface Hedge {
  /** How long the first call has for its first part, ms. */
  readonly afterMs: number;
  /** Chooses another route for the second call; undefined where none can take it. */
  readonly second: () => Promise<Call | undefined>;
}

type Running = { readonly call: Call; readonly controller: AbortController; readonly ended: Promise<CallResult> };

/**
 * Makes a call, and where it has brought no part of an answer in time a second one to another route: the first of them that
 * brings a part is the one whose answer counts, and the other is ended. Both are paid for. Never rejects.
 */
export async function callHedged(deps: CallDeps, first: Call, hedge: Hedge): Promise<HedgedResult> {
  let winner: AbortController | undefined;
  const running: Running[] = [];
  const start = (call: Call): Running => {
    const controller = new AbortController();
    const leave = () => controller.abort();
    first.signal.addEventListener('abort', leave, { once: true });
    if (first.signal.aborted) leave();
    const onPart = (part: ModelPart) => {
      winner ??= controller;
      for (const other of running) if (other.controller !== winner) other.controller.abort();
      if (winner === controller) first.onPart?.(part);
    };
    const own: Call = { ...call, signal: controller.signal, onPart };
    const ended = callModel(deps, own).finally(() => first.signal.removeEventListener('abort', leave));
    const started = { call: own, controller, ended };
    running.push(started);
    return started;
  };

  const one = start(first);
  const isLate = await Promise.race([one.ended.then(() => false), elapsed(hedge.afterMs, first.signal)]);
  if (!isLate || winner !== undefined) return { result: await one.ended, call: one.call };
  const chosen = await hedge.second();
  if (chosen === undefined) return { result: await one.ended, call: one.call };
  const two = start(chosen);
  // The first one may have begun to answer while the second was chosen.
  if (winner === one.controller) two.controller.abort();
  const [firstResult, secondResult] = await Promise.all([one.ended, two.ended]);
  const isSecond = winner === two.controller || (winner === undefined && secondResult.kind === 'answer');
  const [kept, keptResult] = isSecond ? [two, secondResult] : [one, firstResult];
  const [lost, lostResult] = isSecond ? [one, firstResult] : [two, secondResult];
  return { result: keptResult, call: kept.call, loser: { call: lost.call, result: lostResult } };
}

function elapsed(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, true);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
