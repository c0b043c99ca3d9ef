import type { RouteConfig } from '@lontar/shared/models/catalog.ts';

/** A route, and what is known of its upstream. */
export interface Candidate {
  readonly route: RouteConfig;
  /** How long until it may take a call, as far as is known, ms; 0 for now. */
  readonly waitMs: number;
  /** It may take one call, which tries whether it is well again. */
  readonly isProbeDue: boolean;
  /** Calls have failed lately, and its breaker has not opened. */
  readonly isDoubtful?: boolean;
  /** Places that are free; undefined where there is no limit. */
  readonly free?: number | undefined;
  /** Places in all; undefined where there is no limit. */
  readonly most?: number | undefined;
}

/**
 * The routes that can take a call now, the one to ask first before the others: those of the lowest order first; of one
 * order by weight × free places, the less busy one of two that are drawn. A route whose upstream is to be tried again comes
 * before all others of its order: without a call its breaker would stay open.
 *
 * @param random uniform in [0, 1)
 * @param isLastCall no other call may follow it where it fails: then only upstreams that are well are asked while there is one,
 *   though a place of it may have to be waited for
 */
export function orderRoutes(candidates: readonly Candidate[], random: () => number, isLastCall = false): RouteConfig[] {
  const allAble = candidates.filter(({ waitMs }) => waitMs === 0);
  const well = allAble.filter(({ isProbeDue, isDoubtful = false }) => !isProbeDue && !isDoubtful);
  const able = isLastCall && well.length > 0 ? well : allAble;
  const orders = [...new Set(able.map(({ route }) => route.order))].sort((a, b) => a - b);
  return orders.flatMap((order) => {
    const left = able.filter(({ route }) => route.order === order);
    const routes: RouteConfig[] = [];
    while (left.length > 0) {
      const next = left.find(({ isProbeDue }) => isProbeDue) ?? drawTwo(left, random);
      routes.push(next.route);
      left.splice(left.indexOf(next), 1);
    }
    return routes;
  });
}

function drawTwo(left: readonly Candidate[], random: () => number): Candidate {
  const first = draw(left, random);
  const second = left.length > 1 ? draw(left, random) : first;
  // What one without a limit has free is not known: nothing says that it has more.
  return (freeShare(second) ?? 0) > (freeShare(first) ?? 1) ? second : first;
}

function draw(left: readonly Candidate[], random: () => number): Candidate {
  // One without a limit has as many places as the largest of the others.
  const roomy = Math.max(1, ...left.map(({ most = 1 }) => most));
  const shares = left.map(({ route, free = roomy }) => route.weight * Math.max(1, free));
  let at = random() * shares.reduce((sum, share) => sum + share, 0);
  for (const [index, share] of shares.entries()) {
    at -= share;
    if (at < 0) return left[index] as Candidate;
  }
  return left.at(-1) as Candidate;
}

function freeShare({ free, most }: Candidate): number | undefined {
  return free === undefined || most === undefined ? undefined : free / most;
}
