import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';

const ROTATE_ABOVE_BYTES = 10 * 1024 * 1024;
const SHOWN_LINES = 30;

/** Opens a process's log for appending; a log that has grown large becomes `<name>.log.1` first. */
export function openLog(path: string): { fd: number; close(): void } {
  const fd = openSync(path, 'a', 0o600);
  return { fd, close: () => closeSync(fd) };
}

/** Once at each start, before anything writes. */
export function rotateLog(path: string): void {
  if (existsSync(path) && statSync(path).size > ROTATE_ABOVE_BYTES) renameSync(path, `${path}.1`);
}

/** How long a log is now, so that later only what came after is shown. */
export function logSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** The last lines that were written after `from` bytes, for showing why a process cannot start. */
export function lastLines(path: string, from: number): string {
  if (!existsSync(path)) return '';
  const text = readFileSync(path).subarray(from).toString('utf8').trimEnd();
  return text.split('\n').slice(-SHOWN_LINES).join('\n');
}
