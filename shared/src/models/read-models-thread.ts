import { parentPort, workerData } from 'node:worker_threads';
import { readModels } from './read-models.ts';

// Reports of crashes hold what each thread has; see run-service.ts.
process.report.excludeEnv = true;
parentPort?.postMessage(readModels(workerData as string));
