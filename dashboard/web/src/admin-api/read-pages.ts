import type { Answer } from './answer.ts';

/** What was read of a list that comes in pages. */
export interface Pages<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins; absent at the end of the list. */
  readonly next?: string;
}

/** How much is read in one go; the reader asks for more. */
export interface Stretch {
  /** A page may hold few rows, or none: the server looks through a bounded part of the list at a time. */
  readonly mostPages: number;
  /** Rows that are enough; as many pages as may be read where it is left out. */
  readonly enoughRows?: number;
}

/** One page, beginning at `next`; `lacking` rows are still wanted. */
export type ReadPage<Row> = (
  next: string | undefined,
  lacking: number,
) => Promise<Answer<{ readonly rows: readonly Row[]; readonly next?: string | null | undefined }>>;

/**
 * Reads the next pages of a list.
 *
 * @param goOn what was read before, where that is to be gone on with
 * @returns all that was read; the refusal of the first page that was refused. Rejects with what `readPage` rejects with.
 */
export async function readPages<Row>(
  goOn: Pages<Row> | undefined,
  { mostPages, enoughRows = Number.POSITIVE_INFINITY }: Stretch,
  readPage: ReadPage<Row>,
): Promise<Answer<Pages<Row>>> {
  const rows = [...(goOn?.rows ?? [])];
  const wanted = rows.length + enoughRows;
  let next = goOn?.next;
  for (let pages = 0; pages < mostPages && rows.length < wanted; pages += 1) {
    const page = await readPage(next, wanted - rows.length);
    if (!page.ok) return page;
    rows.push(...page.body.rows);
    next = page.body.next ?? undefined;
    if (next === undefined) break;
  }
  return { ok: true, body: { rows, ...(next === undefined ? {} : { next }) } };
}
