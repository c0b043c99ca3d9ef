import { Worker } from 'node:worker_threads';
import type { ModelsReading } from './read-models.ts';

const MOST_MS = 20_000;
/** Ten thousand models need about a third of it. */
const LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };

/**
 * Reads the text of a file of models in a thread of its own: ten thousand models take a second, for which no request shall
 * wait, and YAML can be written that takes half a minute or gigabytes. Never rejects: such a text is a problem too.
 *
 * @param mostMs another bound of time, for tests
 */
export function readModelsAside(text: string, mostMs: number = MOST_MS): Promise<ModelsReading> {
  return new Promise((resolve) => {
    const thread = new Worker(new URL('./read-models-thread.ts', import.meta.url), {
      workerData: text,
      // Nothing that was preloaded into the process belongs into the thread, and no secret.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: {},
      resourceLimits: LIMITS,
    });
    const end = (reading: ModelsReading) => {
      clearTimeout(timer);
      resolve(reading);
      void thread.terminate();
    };
    const timer = setTimeout(() => end(unreadable('the file takes too long to read')), mostMs);
    thread.once('message', (reading: ModelsReading) => end(reading));
    thread.once('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      end(unreadable(isMemory ? 'the file takes too much memory to read' : 'the file cannot be read as YAML'));
    });
    thread.once('exit', () => end(unreadable('the file cannot be read as YAML')));
  });
}

function unreadable(message: string): ModelsReading {
  return { ok: false, problems: [{ line: 1, column: 1, message }] };
}
