import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { LOG_BYTES, removeOldestLog, shiftLogs } from '@lontar/shared/log-files.ts';
import { OWNER_ONLY } from '../files/new-file.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
const SHOWN_LINES = 30;
const LAST_WORDS_BYTES = 8_192;
const LOOK_EVERY_MS = 1_000;

/** Opens a process's log for appending: services rotate theirs themselves, see `LOG_FILE`. */
export function openLog(path: string): { fd: number; close(): void } {
  // Not what a link leads to; and what another user made is for its owner's eyes alone from now on.
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, OWNER_ONLY);
  fchmodSync(fd, OWNER_ONLY);
  return { fd, close: () => closeSync(fd) };
}

/**
 * Rotates a log by its size as long as this process lives. Only for a program that opens its log anew for each line, as
 * Redis does: the file gets another name.
 */
export function rotateWhileRunning(path: string): void {
  const rotate = () => {
    if (logSize(path) < LOG_BYTES) return;
    removeOldestLog(path);
    shiftLogs(path);
    renameSync(path, `${path}.1`);
  };
  rotate();
  setInterval(() => {
    try {
      rotate();
    } catch {
      // A folder that cannot be written to; Redis reports a full disk itself.
    }
  }, LOOK_EVERY_MS).unref();
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

/**
 * What a process said last where that was fatal, and why it ended.
 *
 * @param since its start, Unix ms: an earlier process may have written to the same log
 */
export function lastWords(path: string, since: number): string | undefined {
  try {
    const line = JSON.parse(lastLine(path)) as { level?: unknown; time?: unknown; msg?: unknown };
    if (line.level !== 'fatal' || typeof line.msg !== 'string') return undefined;
    return Date.parse(String(line.time)) >= since ? line.msg : undefined;
  } catch {
    return undefined;
  }
}

function lastLine(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(LAST_WORDS_BYTES);
    const read = readSync(fd, bytes, 0, bytes.length, Math.max(0, statSync(path).size - bytes.length));
    return bytes.subarray(0, read).toString('utf8').trimEnd().split('\n').at(-1) ?? '';
  } finally {
    closeSync(fd);
  }
}
