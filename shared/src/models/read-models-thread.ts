import { parentPort, workerData } from 'node:worker_threads';
import { readModels } from './read-models.ts';

parentPort?.postMessage(readModels(workerData as string));
