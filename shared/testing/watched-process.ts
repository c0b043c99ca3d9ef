import { writeSync } from 'node:fs';
import { watchEventLoop } from '../src/event-loop-watchdog.ts';
import { createLogger } from '../src/logger.ts';

// A process under the watch of its event loop, which stands still in the way that its second argument names, but not for
// ever where the third one says for how long. It says `beat` while it turns.
const [limitMs, way, forMs] = process.argv.slice(2);

const ways: Record<string, () => void> = {
  code() {
    const endsAt = performance.now() + Number(forMs ?? Number.POSITIVE_INFINITY);
    while (performance.now() < endsAt);
  },
  // The kind of pattern that the linter refuses everywhere else.
  pattern: () => void new RegExp('^(a+)+$').test(`${'a'.repeat(64)}!`),
  system: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  // Until the pipe, which is not read, is full, and on.
  output() {
    for (;;) {
      try {
        writeSync(1, 'x'.repeat(1 << 16));
      } catch {
        // It is full.
      }
    }
  },
  nothing: () => undefined,
  // So much processor time, ms, once it is told to begin.
  work() {
    process.once('SIGUSR2', () => {
      const until = process.threadCpuUsage().user / 1_000 + Number(forMs);
      while (process.threadCpuUsage().user / 1_000 < until);
    });
    process.stdout.write('ready\n');
  },
};

watchEventLoop('watched', createLogger('watched', 'info'), Number(limitMs));
if (way !== 'end') setInterval(() => process.stdout.write('beat\n'), 50);
setTimeout(() => ways[way ?? '']?.(), 300);
