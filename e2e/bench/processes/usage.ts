import { existsSync, readFileSync } from 'node:fs';

/** What `getconf CLK_TCK` says on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time that a process has used since its start, user and system, all threads, ms. */
export function cpuMs(pid: number): number {
  const { own } = readTicks(pid);
  return (own * 1000) / TICKS_PER_SECOND;
}

/** The same of its children, those that have ended and those that run. */
export function childrenCpuMs(pid: number): number {
  const { ofEnded } = readTicks(pid);
  return (ofEnded * 1000) / TICKS_PER_SECOND + childrenOf(pid).reduce((sum, child) => sum + msOf(child), 0);
}

function readTicks(pid: number): { readonly own: number; readonly ofEnded: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in brackets, and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: user + system, ofEnded: endedUser + endedSystem };
}

/** Those that its main thread has started, where the kernel tells. */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

/** 0 of one that has ended meanwhile. */
function msOf(child: number): number {
  try {
    return cpuMs(child);
  } catch {
    return 0;
  }
}

/** Memory of a process that is in RAM, bytes. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** The process's share of the memory that it and others use: shared pages are counted in parts, bytes. */
export function proportionalBytes(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** Time that the machine's processors were taken by other machines on the same host, of all of its time, since it was started, s. */
export function stolenTime(): { readonly stolen: number; readonly all: number } {
  const [, ...times] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/);
  const ticks = times.slice(0, 8).map(Number);
  return {
    stolen: (ticks[7] ?? 0) / TICKS_PER_SECOND,
    all: ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND,
  };
}

/** How many cores' worth of time other programs took of the machine, as far as /proc says: 1-minute load. */
export function machineLoad(): number {
  return Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0]);
}
