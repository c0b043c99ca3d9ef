import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTests } from './run-tests.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

// Jest and the checks get the same signal and end by themselves; this process then says how they ended.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

process.exitCode = await runTests(process.argv.slice(2), {
  root,
  environment: process.env,
  progress: process.stderr,
});
