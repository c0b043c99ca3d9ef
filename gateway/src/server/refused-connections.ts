import type { Socket } from 'node:net';
import type { Answer } from '../envelope/answer.ts';
import { neverReadAgain } from '../patches/sockets.ts';
import { answerOnSocket } from './answer-on-socket.ts';

/** When a connection that is one too many is told, ms. Told at once, its client would dial again all the faster. */
const TOLD_AFTER_MS = 750;
/** And when it is closed, whether or not its client has noticed, ms. */
const CLOSED_AFTER_MS = 5_000;
const LOOK_MS = 50;
/** How many may wait for that at once. One costs some kilobytes, as nothing is read from it. */
const MOST_HELD = 2_000;

interface Held {
  readonly socket: Socket;
  readonly refusal: Answer;
  readonly since: number;
}

/** Connections that are one too many, until they are closed. */
export interface Refusals {
  /** Takes a connection that nobody has read from. It is told in a moment, and closed some seconds later. */
  hold(socket: Socket, refusal: Answer): void;
}

/**
 * Holds refused connections for a moment: who is refused at once dials again at once, and costs more than one that
 * waits. Where there are too many, those go first that have been told longest ago, because their clients have most
 * likely left; where none has been told yet, the one that has come is reset.
 */
export function createRefusals(mostHeld: number = MOST_HELD): Refusals {
  // In the order of their coming; those of `told` came before those of `waiting`.
  const waiting = new Set<Held>();
  const told = new Set<Held>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const now = performance.now();
    for (const held of waiting) {
      if (now - held.since < TOLD_AFTER_MS) break;
      waiting.delete(held);
      told.add(held);
      answerOnSocket(held.refusal, held.socket);
    }
    for (const held of told) {
      if (now - held.since < CLOSED_AFTER_MS) break;
      held.socket.destroy();
    }
    if (waiting.size + told.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    hold(socket, refusal) {
      socket.on('error', ignore);
      if (waiting.size + told.size >= mostHeld) {
        const [oldest] = told;
        if (oldest === undefined) return void socket.resetAndDestroy();
        told.delete(oldest);
        oldest.socket.destroy();
      }
      neverReadAgain(socket);
      const held = { socket, refusal, since: performance.now() };
      waiting.add(held);
      socket.once('close', () => waiting.delete(held) || told.delete(held));
      timer ??= setInterval(look, LOOK_MS);
    },
  };
}

const ignore = (): void => undefined;
