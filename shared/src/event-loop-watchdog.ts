import { Worker } from 'node:worker_threads';
import type { Logger } from './logger.ts';
import { WATCHDOG_MS } from './time-budget.ts';

const TICKS_TO_LIMIT = 10;
/** The thread needs little; Node's defaults would let it take gigabytes. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

/**
 * Ends this process by SIGKILL, after a line in the log, when its event loop is silent for 10 s: its supervisor
 * then starts it again. A thread of its own notices, since a stuck loop notices nothing, and cannot stop in order either.
 * Time in which the whole process stands still (SIGSTOP, a suspended machine, a debugger of the system) does not count, nor
 * does time in which it would run and gets no processor, where the system says how much that is (Linux).
 *
 * Called from `main.ts` alone. Does nothing under `node --inspect`, where a breakpoint would look like silence. Costs
 * about 10 MB. As process 1 of a container a process cannot kill itself: the image's entry point stays before it.
 *
 * @param limitMs another limit than 10 s, for tests
 */
export function watchEventLoop(service: string, logger: Logger, limitMs: number = WATCHDOG_MS): void {
  if (process.execArgv.some((argument) => argument.startsWith('--inspect'))) return;
  if (process.pid === 1) logger.warn('as process 1 the service cannot end itself when it hangs; use an init process');
  const tickMs = limitMs / TICKS_TO_LIMIT;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setInterval(() => Atomics.add(beats, 0, 1), tickMs).unref();
  const thread = new Worker(new URL('./event-loop-watchdog-thread.mjs', import.meta.url), {
    workerData: { shared: beats.buffer, tickMs, limitMs, service },
    // Nothing that was preloaded into the process belongs into the thread.
    execArgv: [],
    env: {},
    resourceLimits: THREAD_LIMITS,
  });
  thread.on('error', (error) =>
    logger.error({ err: error }, 'the event loop is not watched: the thread that watches it failed'),
  );
  thread.unref();
}
