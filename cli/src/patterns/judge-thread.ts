import { parentPort } from 'node:worker_threads';
import { judgePattern } from './judge-pattern.ts';

/** A thread of `judge-all.ts`: judges the patterns it is sent, one at a time. */
parentPort?.on('message', ({ pattern, flags }: { pattern: string; flags: string }) => {
  parentPort?.postMessage(judgePattern(pattern, flags));
});
