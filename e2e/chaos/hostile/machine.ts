import { readFile } from 'node:fs/promises';
import type { Service } from '../../harness/service.ts';

const PAGE_BYTES = 4_096;

/** Where the table is full, Linux drops packets of honest callers and of our own processes alike. 0 without a firewall. */
export async function trackedPercent(): Promise<number> {
  const read = (name: string) => readFile(`/proc/sys/net/netfilter/nf_conntrack_${name}`, 'utf8').then(Number, () => 0);
  const [count, most] = await Promise.all([read('count'), read('max')]);
  return most === 0 ? 0 : Math.round((100 * count) / most);
}

/** What a process holds in memory. @throws when it has ended */
export async function memoryMb({ process }: Service): Promise<number> {
  const pages = (await readFile(`/proc/${process.pid}/statm`, 'utf8')).split(' ')[1];
  return (Number(pages) * PAGE_BYTES) / 1_048_576;
}
