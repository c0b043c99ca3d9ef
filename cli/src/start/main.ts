import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { describeFailure, EXIT } from '../failure/failure.ts';
import { readSurroundings } from '../settings/environment.ts';
import { nameCommands, typedCommand } from '../settings/typed-command.ts';
import type { Ask } from './first-models.ts';
import { launch } from './launch.ts';
import { readOptions } from './options.ts';
import { listenForStop } from './stop-requests.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

const typed = typedCommand(process.env);
const startCommand = typed.startsWith('npm ') || typed === 'lontar' ? 'npm start --' : `${typed} start`;

/** The operator's terminal, where there is one on both ends. */
function terminalAsk(): Ask | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await terminal.question(question);
    } finally {
      terminal.close();
    }
  };
}

// A terminal that is closed takes our streams away; stopping in order matters more than saying so.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  const options = readOptions(process.argv.slice(2), startCommand, { out: process.stdout, err: process.stderr });
  const surroundings = readSurroundings(root, process.env);
  const requests = listenForStop(process);
  const out = { write: (text: string) => process.stdout.write(nameCommands(text, process.env)) };
  await launch({ surroundings, options, requests, out, progress: process.stderr, ask: terminalAsk() });
  process.exit(EXIT.ok);
} catch (error) {
  const { exitCode, message } = describeFailure(error);
  if (message !== undefined) process.stderr.write(`${nameCommands(message, process.env)}\n`);
  process.exit(exitCode);
}
