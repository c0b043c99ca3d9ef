import type { Socket } from 'node:net';
import type { Answer } from '../envelope/answer.ts';
import { neverReadAgain } from '../patches/sockets.ts';
import { answerOnSocket } from './answer-on-socket.ts';

/** When a connection that is one too many is answered, ms. Answered at once, its client would dial again all the faster. */
const ANSWERED_AFTER_MS = 750;
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
  /** Takes a connection that has not been read from. It is answered in a moment, and closed some seconds later. */
  hold(socket: Socket, refusal: Answer): void;
}

/**
 * Holds refused connections for a moment: who is refused at once dials again at once, and costs more than one that
 * waits. Where there are too many, those go first that were answered longest ago, because their clients have most
 * likely left; where none has been answered yet, the new one is reset.
 */
export function createRefusals(mostHeld: number = MOST_HELD): Refusals {
  // In the order of their coming; those of `answered` came before those of `waiting`.
  const waiting = new Set<Held>();
  const answered = new Set<Held>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const now = performance.now();
    for (const held of waiting) {
      if (now - held.since < ANSWERED_AFTER_MS) break;
      waiting.delete(held);
      answered.add(held);
      answerOnSocket(held.refusal, held.socket);
    }
    for (const held of answered) {
      if (now - held.since < CLOSED_AFTER_MS) break;
      held.socket.destroy();
    }
    if (waiting.size + answered.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    hold(socket, refusal) {
      socket.on('error', ignore);
      if (waiting.size + answered.size >= mostHeld) {
        const [oldest] = answered;
        if (oldest === undefined) return void socket.resetAndDestroy();
        answered.delete(oldest);
        oldest.socket.destroy();
      }
      neverReadAgain(socket);
      const held = { socket, refusal, since: performance.now() };
      waiting.add(held);
      socket.once('close', () => waiting.delete(held) || answered.delete(held));
      timer ??= setInterval(look, LOOK_MS);
    },
  };
}

const ignore = (): void => undefined;
