import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { type CleanPackage, installedPackages, maskPackage } from './testing/clean-documents.ts';

const golden: CleanPackage[] = JSON.parse(
  readFileSync(new URL('./testing/clean-documents.json', import.meta.url), 'utf8'),
);
const installed = new Map(installedPackages().map(({ name, version }) => [name, version]));
// Another version of a package has other documentation: it is left out until its lines have been read.
const comparable = golden.filter(({ name, version }) => installed.get(name) === version);

describe('documentation of the installed packages', () => {
  test('only adjudicated lines change', () => {
    const surprises: string[] = [];
    for (const { name, changed } of comparable) {
      const adjudicated = new Set(changed);
      for (const line of maskPackage(name).changed) {
        if (!adjudicated.has(line.hash)) surprises.push(`${line.file}\n- ${line.before}\n+ ${line.after}`);
      }
    }
    expect(surprises).toEqual([]);
  });

  test('enough of it is compared to mean something', () => {
    const characters = comparable.reduce((sum, { name }) => sum + maskPackage(name).characters, 0);
    expect(characters).toBeGreaterThan(1_000_000);
  });
});
