import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Verdict } from './judge-pattern.ts';

/** 64 bits: what has to differ is a thousand patterns of our own. */
const DIGITS = 16;

/**
 * Reads a record of patterns that were judged to take linear time: a line that names the judge, then one digest a line.
 * It stands in the repository, since judging all patterns anew takes minutes of processor time, and a judgement that
 * takes seconds is out of time on a machine that is busy enough.
 *
 * @param edition names everything a verdict depends on beside its pattern; a record of another edition says nothing
 * @returns the digests; none where there is no such file
 */
export function readRecord(file: string, edition: string): ReadonlySet<string> {
  try {
    const [first, ...digests] = readFileSync(file, 'utf8').trimEnd().split('\n');
    return new Set(first === edition ? digests : []);
  } catch {
    return new Set();
  }
}

/** Writes the record anew, from the verdicts on the patterns that there are now; what is not linear is left out. */
export function writeRecord(file: string, edition: string, verdicts: ReadonlyMap<string, Verdict>): void {
  const digests = [...verdicts].filter(([, { growth }]) => growth === 'linear').map(([key]) => digestOf(key));
  writeFileSync(file, `${[edition, ...digests.sort()].join('\n')}\n`);
}

/** @param key as by `keyOf` */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, DIGITS);
}
