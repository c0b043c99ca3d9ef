const TERMINAL_EVERY_MS = 1_000;
const LINE_EVERY_MS = 15_000;

/** Where progress is shown: the error stream, so that data stays alone on the other one. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Shows that a long step is going on: one line that counts seconds on a terminal, a line now and then elsewhere.
 *
 * @throws what the step throws
 */
export async function withProgress<Result>(
  title: string,
  stream: ProgressStream,
  step: () => Promise<Result>,
): Promise<Result> {
  const begun = Date.now();
  const seconds = () => Math.round((Date.now() - begun) / 1000);
  const terminal = stream.isTTY === true;
  stream.write(terminal ? `${title} …` : `${title} …\n`);
  const timer = setInterval(
    () => stream.write(terminal ? `\r${title} … ${seconds()} s` : `${title} … ${seconds()} s so far\n`),
    terminal ? TERMINAL_EVERY_MS : LINE_EVERY_MS,
  );
  try {
    return await step();
  } finally {
    clearInterval(timer);
    if (terminal) stream.write('\r\u001B[K');
  }
}
