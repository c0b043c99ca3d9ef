import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSurroundings } from '../settings/environment.ts';
import { runLontar } from './program.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

// A reader that has seen enough (`lontar keys list | head`) is no failure.
process.stdout.on('error', () => process.exit(0));

const streams = { in: process.stdin, out: process.stdout, err: process.stderr };
const args = process.argv.slice(2);
process.exitCode = await runLontar(args, () => readSurroundings(root, process.env), streams, process.env);
