import type { Redis } from 'ioredis';

type Command = Parameters<Redis['sendCommand']>[0];

/** A wait is counted in this many looks at the clock. */
const SLICES = 16;

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
  // A wheel: commands sent now are looked at when the hand has gone round.
  const wheel: Command[][] = Array.from({ length: SLICES + 1 }, () => []);
  let hand = 0;
  let open = 0;
  let timer: NodeJS.Timeout | undefined;

  const turn = () => {
    hand = (hand + 1) % wheel.length;
    const due = wheel[hand] ?? [];
    wheel[hand] = [];
    open -= due.length;
    for (const command of due) if (!command.isSettled) command.reject(new Error('Command timed out'));
    if (open > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  redis.sendCommand = (command, stream) => {
    wheel[(hand + SLICES) % wheel.length]?.push(command);
    open++;
    timer ??= setInterval(turn, ms / SLICES).unref();
    return send(command, stream);
  };
}
