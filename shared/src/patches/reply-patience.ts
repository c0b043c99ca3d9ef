import type { Redis } from 'ioredis';

type Command = Parameters<Redis['sendCommand']>[0];

/** A wait is counted in this many looks at the clock. */
const SLICES = 16;
/** So many places of commands that have had their reply are kept at the front before the list is made anew. */
const MOST_EMPTY = 64;

/**
 * Gives up on commands whose reply does not come within `ms`, as ioredis's own `commandTimeout` does, with one
 * difference: only time in which a reply could have been read counts. While the event loop is busy nothing is read,
 * and ioredis's timers, due first, would then reject commands whose replies have long arrived: one stall of ours, and
 * every request in flight would be shed. Here each turn of the loop uses up at most one slice of the wait.
 *
 * One timer serves all commands. It runs while any of them is open, and keeps no process alive.
 *
 * Patches `sendCommand` and reads `isSettled` and `reject` of its commands: checked with ioredis 6.0.0.
 * reply-patience.int.test.ts fails where commands go another way.
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

  const letGo = () => {
    for (let command = sent[first]; command?.isSettled === true; command = sent[first]) sent[first++] = undefined;
    if (first < MOST_EMPTY || first * 2 < sent.length) return;
    [sent, sentIn, first] = [sent.slice(first), sentIn.slice(first), 0];
  };

  const turn = () => {
    turns++;
    letGo();
    while (first < sent.length && turns - (sentIn[first] ?? 0) >= SLICES) {
      const command = sent[first];
      sent[first++] = undefined;
      if (command?.isSettled === false) command.reject(new Error('Command timed out'));
    }
    letGo();
    if (first < sent.length) return;
    clearInterval(timer);
    timer = undefined;
  };

  redis.sendCommand = (command, stream) => {
    letGo();
    sent.push(command);
    sentIn.push(turns);
    timer ??= setInterval(turn, ms / SLICES).unref();
    return send(command, stream);
  };
}
