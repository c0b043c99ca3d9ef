// The thread of event-loop-watchdog.ts: ends the process when its event loop has been silent for too long. It sleeps in
// Atomics.wait and needs no event loop of its own. Plain JavaScript: to strip types here, Node would load a compiler into
// every process, 18 MB each.
import { readFileSync, write } from 'node:fs';
import { workerData } from 'node:worker_threads';

// Reports of crashes hold what each thread has; see run-service.ts.
process.report.excludeEnv = true;

const STANDARD_OUTPUT = 1;
/** Enough for a line; an output that is not read must not save the process. */
const LAST_WORDS_MS = 500;

const { shared, tickMs, limitMs, service } = workerData;
const beats = new Int32Array(shared);
const never = new Int32Array(new SharedArrayBuffer(4));
const sleep = (ms) => Atomics.wait(never, 0, 0, ms);

const readSystem = (name) => {
  try {
    return readFileSync(`/proc/self/${name}`, 'latin1');
  } catch {
    return '';
  }
};
/** Whether the main thread would run, and for how long it has run, ms; nothing where the system does not say. */
const readMainThread = () => {
  const [, state] = /\) (\w)/.exec(readSystem('stat')) ?? [];
  const ranMs = Number(readSystem('schedstat').split(' ')[0]) / 1e6;
  return { wouldRun: state === 'R' && ranMs > 0, ranMs };
};

let seen = Atomics.load(beats, 0);
let silentMs = 0;
let lookedAt = performance.now();
/** What the main thread has run when it was looked at last; not asked for while it beats. */
let ranMs;
while (silentMs < limitMs) {
  sleep(tickMs);
  const now = performance.now();
  // A machine or process that was suspended finds that much time has passed; only what this thread was awake for counts.
  const awakeMs = Math.min(Math.max(0, now - lookedAt), 2 * tickMs);
  lookedAt = now;
  const beat = Atomics.load(beats, 0);
  const isSilent = beat === seen;
  seen = beat;
  if (!isSilent) {
    silentMs = 0;
    ranMs = undefined;
    continue;
  }
  // Nor does time in which others have the processors: an end and a start would take still more of them.
  const main = readMainThread();
  const sinceMs = ranMs === undefined ? 0 : main.ranMs - ranMs;
  silentMs += main.wouldRun ? Math.min(awakeMs, sinceMs) : awakeMs;
  ({ ranMs } = main);
}

const line = {
  level: 'fatal',
  time: new Date().toISOString(),
  service,
  silentMs: Math.round(silentMs),
  msg: 'the event loop is silent; the process ends itself to be started again',
};
// Not writeSync: a full pipe would hold this thread up as well.
write(STANDARD_OUTPUT, `${JSON.stringify(line)}\n`, () => undefined);
sleep(LAST_WORDS_MS);
// process.exit() would end this thread alone.
process.kill(process.pid, 'SIGKILL');
