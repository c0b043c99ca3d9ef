/**
 * Lists every line of the installed packages' documentation that masking changes and that the adjudicated list does
 * not hold. Read each: it is right or a bug. Then `--write` takes them into the list.
 *   node e2e/bench/masking/adjudicate.ts [--write]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import {
  type CleanPackage,
  installedPackages,
  maskPackage,
} from '../../../worker/src/masking/testing/clean-documents.ts';

const path = new URL('../../../worker/src/masking/testing/clean-documents.json', import.meta.url);
const known: CleanPackage[] = JSON.parse(readFileSync(path, 'utf8'));
const adjudicated = new Set(known.flatMap(({ changed }) => changed));
const packages: CleanPackage[] = [];
let characters = 0;
for (const { name, version } of installedPackages()) {
  const result = maskPackage(name);
  characters += result.characters;
  packages.push({ name, version, changed: [...new Set(result.changed.map(({ hash }) => hash))].sort() });
  for (const line of result.changed) {
    if (!adjudicated.has(line.hash))
      console.log(`${line.file}\n- ${line.before.slice(0, 300)}\n+ ${line.after.slice(0, 300)}\n`);
  }
}
console.log(`${packages.length} packages, ${(characters / 1e6).toFixed(2)} MB`);
if (process.argv.includes('--write')) {
  const withText = packages.filter(({ changed }) => changed.length > 0);
  const quiet = packages.filter(({ changed }) => changed.length === 0);
  writeFileSync(path, `${JSON.stringify([...withText, ...quiet], undefined, 2)}\n`);
}
