import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Changes whenever the machine starts, and is the same in all its containers. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
/** Names the table of processes that this one is in: a container has its own. */
const PID_TABLE = '/proc/self/ns/pid';

/**
 * Where this process runs, for others to find out whether it has ended: the table of processes that it is in, and its number
 * there. Without a space in either; empty where the system does not tell (Linux does). Never throws.
 */
export function thisPlace(): string {
  try {
    // Machines that are copies of a running one have all but the name in common.
    const table = [readFileSync(BOOT_ID, 'utf8'), readlinkSync(PID_TABLE), hostname()].join(' ');
    return `${createHash('sha256').update(table).digest('hex').slice(0, 16)}.${process.pid}`;
  } catch {
    return '';
  }
}

/**
 * Whether the process of a place has certainly ended: it is in the same table as this process, and not there any more. Where its
 * number is another process's by now, that is not known. Never throws.
 *
 * @param here `thisPlace`
 */
export function hasEnded(place: string, here: string): boolean {
  const [table = '', pid = ''] = place.split('.');
  if (table === '' || table !== here.split('.')[0] || !/^[1-9]\d{0,9}$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
