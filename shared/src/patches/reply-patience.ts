import type { Redis } from 'ioredis';

type Command = Parameters<Redis['sendCommand']>[0];

/** A wait is counted in this many looks at the clock. */
const SLICES = 16;
/** The first look comes after so many slices, since nearly every reply is here by then: each look wakes the process. */
const FIRST_SLICES = SLICES / 2;
/** So many places of commands that have had their reply are kept at the front before the list is made anew. */
const MOST_EMPTY = 64;

/**
 * Gives up on commands whose reply does not come within `ms`, as ioredis's own `commandTimeout` does, with one
 * difference: only time in which a reply could have been read counts. While the event loop is busy nothing is read,
 * and ioredis's timers, due first, would then reject commands whose replies have long arrived: one stall of ours, and
 * every request in flight would be shed. Here the first turn of the loop uses up at most half of the wait, and each further
 * one a slice.
 *
 * One timer serves all commands. It runs while any of them is open, and keeps no process alive.
 *
 * Patches `sendCommand`, reads `isSettled` and `reject` of its commands, and listens to `stream` after ioredis has: checked
 * with ioredis 6.0.0. reply-patience.int.test.ts fails where commands go another way.
 *
 * @param ms how long Redis may take, in steps of a sixteenth
 */
export function limitReplyTime(redis: Redis, ms: number): void {
  const send = redis.sendCommand.bind(redis);
  // Redis answers in the order in which it was asked, so those that have their reply are at the front, and are let go of with
  // the next command: kept until their wait would be over, each would outlive two collections, and become old garbage.
  let sent: (Command | undefined)[] = [];
  let sentIn: number[] = [];
  let first = 0;
  let turns = 0;
  let timer: NodeJS.Timeout | undefined;
  /** When the timer was set, where its first look is still to come. */
  let firstSince: number | undefined;
  const sliceMs = ms / SLICES;

  const letGo = () => {
    for (let command = sent[first]; command?.isSettled === true; command = sent[first]) sent[first++] = undefined;
    if (first < MOST_EMPTY || first * 2 < sent.length) return;
    [sent, sentIn, first] = [sent.slice(first), sentIn.slice(first), 0];
  };

  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    firstSince = undefined;
  };

  const look = (slices: number) => {
    turns += slices;
    letGo();
    while (first < sent.length && turns - (sentIn[first] ?? 0) >= SLICES) {
      const command = sent[first];
      sent[first++] = undefined;
      if (command?.isSettled === false) command.reject(new Error('Command timed out'));
    }
    letGo();
    if (first >= sent.length) stop();
  };

  const lookFirst = () => {
    firstSince = undefined;
    timer = setInterval(look, sliceMs, 1).unref();
    look(FIRST_SLICES);
  };

  const start = () => {
    firstSince = performance.now();
    timer = setTimeout(lookFirst, FIRST_SLICES * sliceMs).unref();
  };

  /** Slices of the wait before the first look that are over: what is sent by now has not waited for them. */
  const begun = () =>
    firstSince === undefined ? 0 : Math.min(FIRST_SLICES, Math.floor((performance.now() - firstSince) / sliceMs));

  redis.on('connect', () => {
    redis.stream.on('data', () => {
      letGo();
      if (first >= sent.length) stop();
    });
  });

  redis.sendCommand = (command, stream) => {
    letGo();
    if (timer === undefined) start();
    sent.push(command);
    sentIn.push(turns + begun());
    return send(command, stream);
  };
}
