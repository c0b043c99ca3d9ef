import { existsSync, renameSync, rmSync } from 'node:fs';

/** How large a log grows before it is rotated, bytes. */
export const LOG_BYTES = 10 * 1024 * 1024;
/** The log and those before it: `<log>.1` is the latest, `<log>.4` the oldest. */
export const LOG_FILES = 5;

/** Removes the oldest log, so that there is room for one more. */
export function removeOldestLog(path: string, files: number = LOG_FILES): void {
  rmSync(`${path}.${files - 1}`, { force: true });
}

/** Gives each earlier log the next number, so that `<log>.1` is free; the oldest must have been removed. */
export function shiftLogs(path: string, files: number = LOG_FILES): void {
  for (let number = files - 2; number >= 1; number--) {
    if (existsSync(`${path}.${number}`)) renameSync(`${path}.${number}`, `${path}.${number + 1}`);
  }
}
