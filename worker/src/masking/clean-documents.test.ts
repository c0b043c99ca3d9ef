import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createMasker } from './mask.ts';

const { mask } = createMasker();
const read = (name: string) => readFileSync(new URL(`./testing/documents/${name}`, import.meta.url), 'utf8');

describe('documentation', () => {
  test('that comes near to many rules stays as it is', () => {
    const text = read('kept-lines.md');
    const masked = mask(text).text.split('\n');
    expect(text.split('\n').filter((line, index) => line !== masked[index])).toEqual([]);
    expect(masked.length).toBeGreaterThan(300);
  });

  const changes = [...read('changed-lines.md').matchAll(/^- (.*)\n\+ (.*)$/gm)];

  test('changes in exactly what was read and found right', () => {
    expect(changes.length).toBeGreaterThan(80);
    for (const { 1: line = '', 2: expected } of changes) expect(mask(line).text).toBe(expected);
  });
});
