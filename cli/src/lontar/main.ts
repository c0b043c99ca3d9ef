import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSurroundings } from '../settings/environment.ts';
import { runLontar } from './program.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

// A reader that has seen enough (`lontar keys list | head`) is no failure.
process.stdout.on('error', () => process.exit(0));

process.exitCode = await runLontar(process.argv.slice(2), () => readSurroundings(root, process.env), {
  in: process.stdin,
  out: process.stdout,
  err: process.stderr,
});
