import type { Answer } from '../admin-api/answer.ts';
import { ask } from '../admin-api/ask.ts';
import { type Pages, readPages } from '../admin-api/read-pages.ts';
import type { Asked } from '../admin-api/reading.ts';
import { type Again, useReading } from '../admin-api/use-asked.ts';
import type { Grouping, UsageRow } from './group-usage.ts';
import type { Period } from './period.ts';

/** Pages of 200 keys. */
const STRETCH = { mostPages: 10 };

/** What of the usage is wanted. */
export interface WantedUsage extends Pick<Period, 'from' | 'to'> {
  readonly by: Grouping;
  readonly key?: string;
  readonly owner?: string;
}

/** What was read of it: by key, day and model; of the whole service at once where no key is told apart. */
export interface ReadUsage extends Pages<UsageRow> {
  readonly wanted: WantedUsage;
  /** All that was counted, where the rows are of single keys; what of it they lack was not read yet. */
  readonly whole?: readonly UsageRow[];
}

interface UsagePage {
  readonly rows: readonly UsageRow[];
  readonly cursor: string | null;
}

/** Reads usage anew whenever something else is wanted. */
export function useUsage(wanted: WantedUsage): Asked<ReadUsage> & Again {
  return useReading(JSON.stringify(wanted), (goOn, signal) => readUsage(wanted, goOn, signal));
}

/** Rejects when the signal aborts, and for nothing else. */
async function readUsage(
  wanted: WantedUsage,
  goOn: ReadUsage | undefined,
  signal: AbortSignal,
): Promise<Answer<ReadUsage>> {
  const { from, to, by, key, owner } = wanted;
  const page = (more: Record<string, string>) =>
    ask<UsagePage>('GET', `/usage?${new URLSearchParams({ from, to, ...more }).toString()}`, { signal });
  const isOfAll = key === undefined && owner === undefined;
  const first = isOfAll && goOn === undefined ? await page({ key: 'all' }) : undefined;
  if (first?.ok === false) return first;
  if (isOfAll && (by === 'day' || by === 'model')) {
    return { ok: true, body: { wanted, rows: first?.body.rows ?? [] } };
  }
  const scope = key === undefined ? (owner === undefined ? {} : { owner }) : { key };
  const read = await readPages<UsageRow>(goOn, STRETCH, async (cursor) => {
    const answer = await page({ ...scope, ...(cursor === undefined ? {} : { cursor }) });
    return answer.ok ? { ok: true, body: { rows: answer.body.rows, next: answer.body.cursor } } : answer;
  });
  if (!read.ok) return read;
  const whole = first?.body.rows ?? goOn?.whole;
  return { ok: true, body: { wanted, ...read.body, ...(whole === undefined ? {} : { whole }) } };
}

/** Rows of one model; of all of them where none is named. */
export function ofModel(rows: readonly UsageRow[], model: string | undefined): readonly UsageRow[] {
  return model === undefined ? rows : rows.filter((row) => row.model === model);
}
