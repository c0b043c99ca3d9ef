import { Readable } from 'node:stream';
import { runLontar } from '../src/lontar/program.ts';
import { readSurroundings } from '../src/settings/environment.ts';

/** How a run of the operator's command ended, and what it wrote. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs the operator's command in this process, without a terminal. For tests only.
 *
 * @param root folder that stands for the project's
 * @param input the pieces of its standard input
 */
export async function runInProcess(
  root: string,
  environment: Record<string, string>,
  args: readonly string[],
  input: Iterable<Uint8Array> = [],
): Promise<Ended> {
  const written = { out: '', err: '' };
  const streams = {
    in: Readable.from(input, { objectMode: true }),
    out: { write: (text: string) => void (written.out += text) },
    err: { write: (text: string) => void (written.err += text) },
  };
  const code = await runLontar([...args], () => readSurroundings(root, environment), streams, environment);
  return { code, ...written };
}
