import { isHighSurrogate } from '@lontar/shared/surrogates.ts';

/** How often a stream goes on, ms. */
const TICK_MS = 25;

/** Lengths of the pieces, in turn: no two answers are cut alike, and secrets are cut anywhere. */
const LENGTHS = [4, 3, 6, 2, 5, 4, 7];

/** A text in pieces of about a token. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = text.length; at < text.length; turn += 1) {
    let end = at + (LENGTHS[turn % LENGTHS.length] ?? 4);
    // A pair of surrogates stays together.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/**
 * Gives pieces at a pace, a few at a time where the machine is late.
 *
 * @returns when all are given
 * @throws the signal's reason when it fires first
 */
export function atPace(
  pieces: readonly string[],
  perSecond: number,
  signal: AbortSignal,
  give: (piece: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let given = 0;
    const stop = () => {
      clearInterval(timer);
      signal.removeEventListener('abort', leave);
    };
    const leave = () => {
      stop();
      reject(new Error('The signal fired.'));
    };
    const tick = () => {
      const due = Math.min(pieces.length, 1 + Math.floor(((performance.now() - startedAt) / 1_000) * perSecond));
      for (; given < due && !signal.aborted; given += 1) give(pieces[given] ?? '');
      if (given < pieces.length) return;
      stop();
      resolve();
    };
    const timer = setInterval(tick, TICK_MS);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    else tick();
  });
}
