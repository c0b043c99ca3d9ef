import { constants, copyFileSync, fstatSync, ftruncateSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { LOG_BYTES, LOG_FILES, removeOldestLog, shiftLogs } from './log-files.ts';

const STANDARD_OUTPUT = 1;
const PIECE_BYTES = 4_096;
const FLUSH_MS = 100;
const LOOK_MS = 5_000;
/** After the disk refused a write or a copy, ms. */
const RETRY_MS = 1_000;
/** Lines that wait while the disk refuses them; those beyond are lost. */
const MOST_WAITING_BYTES = 1024 * 1024;

export interface RotatingOutput {
  write(line: string): void;
}

export interface RotatingOutputOptions {
  readonly fd?: number;
  /** Size from which on the log is rotated. */
  readonly bytes?: number;
  /** The log and those before it. */
  readonly files?: number;
}

/** Whether standard output, or another descriptor, is open on the file of this path. */
export function isOpenOn(path: string, fd: number = STANDARD_OUTPUT): boolean {
  try {
    const [open, named] = [fstatSync(fd), statSync(path)];
    return open.isFile() && open.ino === named.ino && open.dev === named.dev;
  } catch {
    return false;
  }
}

/**
 * Writes lines to standard output, which is open for appending on the file of this path, and rotates that file by size.
 *
 * The full file is copied and then emptied, and no other process may write to it: lines are only written between
 * rotations, so none is lost or cut. It stays the same file, so that what Node itself writes to it when it crashes is
 * not lost in an older one. A copy of 10 MB holds the process up for some milliseconds. Writes are synchronous, which
 * costs less than handing them to a thread: a file takes them into memory. No write that fails throws; lines wait for a
 * while then.
 */
export function openRotatingOutput(path: string, options: RotatingOutputOptions = {}): RotatingOutput {
  const { fd = STANDARD_OUTPUT, bytes = LOG_BYTES, files = LOG_FILES } = options;
  let waiting: (string | Buffer)[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let size = 0;
  let refusedAt = Number.NEGATIVE_INFINITY;

  function flush(): void {
    if (performance.now() - refusedAt < RETRY_MS) return;
    try {
      writeAll();
      if (lost > 0) {
        const line = { level: 'error', time: new Date().toISOString(), lost, msg: 'log lines were lost: no room' };
        lost = 0;
        size += writeSync(fd, `${JSON.stringify(line)}\n`);
      }
      if (size >= bytes) {
        rotate({ path, fd, files, mustShrink: size >= 2 * bytes });
        size = 0;
      }
    } catch {
      refusedAt = performance.now();
    }
  }

  function writeAll(): void {
    let rest = Buffer.concat(waiting.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
    waiting = [];
    waitingBytes = 0;
    try {
      while (rest.length > 0) {
        const written = writeSync(fd, rest);
        size += written;
        rest = rest.subarray(written);
      }
    } finally {
      if (rest.length > 0) {
        waiting = [rest];
        waitingBytes = rest.length;
      }
    }
  }

  let timer: NodeJS.Timeout | undefined;
  const round = () => {
    flush();
    timer = waitingBytes > 0 ? setTimeout(round, FLUSH_MS).unref() : undefined;
  };
  // What Node writes itself goes past `write`.
  setInterval(() => {
    size = Math.max(size, sizeOf(fd));
    if (size >= bytes) flush();
  }, LOOK_MS).unref();
  process.on('exit', flush);
  size = sizeOf(fd);
  return {
    write(line) {
      if (waitingBytes > MOST_WAITING_BYTES) {
        lost++;
        return;
      }
      waiting.push(line);
      waitingBytes += line.length;
      timer ??= setTimeout(round, FLUSH_MS).unref();
      if (waitingBytes >= PIECE_BYTES) flush();
    },
  };
}

interface FullLog {
  readonly path: string;
  readonly fd: number;
  readonly files: number;
  /** No room or no right to keep a copy: the file may wait for better times, but not grow for ever. */
  readonly mustShrink: boolean;
}

function rotate({ path, fd, files, mustShrink }: FullLog): void {
  if (isOpenOn(path, fd)) {
    try {
      keepCopy(path, files);
    } catch (error) {
      if (!mustShrink) throw error;
    }
  } else if (fstatSync(fd).nlink > 0) {
    // Another program has renamed the file, and rotates it.
    return;
  }
  ftruncateSync(fd, 0);
}

function keepCopy(path: string, files: number): void {
  const copy = `${path}.new`;
  removeOldestLog(path, files);
  try {
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
  shiftLogs(path, files);
  renameSync(copy, `${path}.1`);
}

function sizeOf(fd: number): number {
  try {
    return fstatSync(fd).size;
  } catch {
    return 0;
  }
}
