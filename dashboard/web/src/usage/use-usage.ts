import { type Answer, ask } from '../admin-api/ask.ts';
import type { Asked } from '../admin-api/reading.ts';
import { type Again, useReading } from '../admin-api/use-asked.ts';
import type { Grouping, UsageRow } from './group-usage.ts';
import type { Period } from './period.ts';

/** Pages of 200 keys that are read in one go; the reader asks for more. */
const PAGES_AT_ONCE = 10;

/** What of the usage is wanted. */
export interface WantedUsage extends Pick<Period, 'from' | 'to'> {
  readonly by: Grouping;
  readonly key?: string;
  readonly owner?: string;
}

/** What was read of it. */
export interface ReadUsage {
  readonly wanted: WantedUsage;
  /** By key, day and model; of the whole service at once where no key is told apart. */
  readonly rows: readonly UsageRow[];
  /** All that was counted, where the rows are of single keys; what of it they lack was not read yet. */
  readonly whole?: readonly UsageRow[];
  /** Where the next keys begin; absent when all were read. */
  readonly cursor?: string;
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
  const whole = isOfAll && goOn === undefined ? await page({ key: 'all' }) : undefined;
  if (whole?.ok === false) return whole;
  if (isOfAll && (by === 'day' || by === 'model')) {
    return { ok: true, body: { wanted, rows: whole?.body.rows ?? [] } };
  }
  const rows: UsageRow[] = [...(goOn?.rows ?? [])];
  let cursor = goOn?.cursor;
  for (let pages = 0; pages < PAGES_AT_ONCE; pages += 1) {
    const scope = key === undefined ? (owner === undefined ? {} : { owner }) : { key };
    const answer = await page({ ...scope, ...(cursor === undefined ? {} : { cursor }) });
    if (!answer.ok) return answer;
    rows.push(...answer.body.rows);
    cursor = answer.body.cursor ?? undefined;
    if (cursor === undefined) break;
  }
  const all = whole?.body.rows ?? goOn?.whole;
  const body = {
    wanted,
    rows,
    ...(all === undefined ? {} : { whole: all }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  return { ok: true, body };
}

/** Rows of one model; of all of them where none is named. */
export function ofModel(rows: readonly UsageRow[], model: string | undefined): readonly UsageRow[] {
  return model === undefined ? rows : rows.filter((row) => row.model === model);
}
