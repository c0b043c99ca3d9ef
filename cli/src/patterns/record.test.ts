import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { judgeAll, keyOf } from './judge-all.ts';
import type { Verdict } from './judge-pattern.ts';
import { digestOf, readRecord, writeRecord } from './record.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-record-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const said = (growth: Verdict['growth']): Verdict => ({ growth, words: growth });
const verdicts = new Map([
  ['/a/', said('linear')],
  ['/b+$/', said('polynomial')],
  ['/(c|c)*$/', said('exponential')],
  ['/d/', said('unknown')],
  ['/a/i', said('linear')],
]);

describe('the record of judged patterns', () => {
  test('keeps what is linear and nothing else', () => {
    const file = join(folder, 'record.txt');
    writeRecord(file, 'judge 1', verdicts);
    expect(readRecord(file, 'judge 1')).toEqual(new Set([digestOf('/a/'), digestOf('/a/i')]));
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
  });

  test('of another judge, or none at all, says nothing', () => {
    const file = join(folder, 'record.txt');
    expect(readRecord(file, 'judge 1').size).toBe(0);
    writeRecord(file, 'judge 1', verdicts);
    expect(readRecord(file, 'judge 2').size).toBe(0);
    writeFileSync(file, '');
    expect(readRecord(file, 'judge 1').size).toBe(0);
  });

  test('what it does not hold is judged', async () => {
    const slow = { pattern: '(a|a)*$', flags: '' };
    const known = { pattern: 'not judged, or this would be slow: (b|b)*$', flags: '' };
    const judged = await judgeAll([slow, known], (key) => key === keyOf(known));
    expect(judged.get(keyOf(slow))?.growth).toBe('exponential');
    expect(judged.get(keyOf(known))).toEqual({ growth: 'linear', words: 'by the record' });
  });
});
