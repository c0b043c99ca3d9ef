import { spawn } from 'node:child_process';

const KEPT_OUTPUT_CHARS = 4_000;

export interface QuietRun {
  readonly succeeded: boolean;
  /** The end of what it wrote, both streams together. */
  readonly output: string;
}

/** Runs a program without a terminal and keeps the end of its output for the case that it fails. */
export function runQuietly(
  command: string,
  args: readonly string[],
  options: { environment: Readonly<Record<string, string>>; timeoutMs?: number },
): Promise<QuietRun> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, {
      env: options.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-KEPT_OUTPUT_CHARS);
      });
    }
    child.once('error', (error) => resolve({ succeeded: false, output: error.message }));
    child.once('close', (code) => resolve({ succeeded: code === 0, output: output.trim() }));
  });
}
