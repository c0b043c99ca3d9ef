import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endWithUs } from '../../harness/launch.ts';
import type { StreamMessage, StreamPlan } from './stream-plan.ts';

const SCRIPT = fileURLToPath(new URL('./stream-load.ts', import.meta.url));

export type StreamsRead = Extract<StreamMessage, { kind: 'finished' }>;

/**
 * Reads streams in a process of its own.
 *
 * @param onOpened called once all streams have begun
 * @throws when that process ends before it has told
 */
export function readStreams(plan: StreamPlan, onOpened: (pid: number) => void = () => undefined): Promise<StreamsRead> {
  const child = fork(SCRIPT, [], { execArgv: ['--disable-warning=ExperimentalWarning'], serialization: 'advanced' });
  endWithUs(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.on('message', (message: StreamMessage) => {
      if (message.kind === 'opened') onOpened(child.pid ?? 0);
      else resolve(message);
    });
    child.once('exit', (code) => setImmediate(() => reject(new Error(`the reader of streams ended with ${code}`))));
    child.send(plan);
  });
}
