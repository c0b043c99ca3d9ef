import { readFileSync, writeFileSync } from 'node:fs';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { askIntegrity } from './ask-registry.ts';
import { completeLockfile, type LockPackages } from './complete-lockfile.ts';
import { addIntegrity, entriesWithoutIntegrity } from './integrity.ts';

readOptions({
  name: 'npm run lockfile',
  about: 'Completes package-lock.json after a change of packages, so that npm ci takes it.',
  options: {},
});

const file = new URL('../../../package-lock.json', import.meta.url);
const lockfile = completeLockfile(JSON.parse(readFileSync(file, 'utf8')) as { packages: LockPackages });
const found = new Map<string, string>();
for (const [path, wanted] of Object.entries(entriesWithoutIntegrity(lockfile.packages))) {
  const integrity = await askIntegrity(wanted);
  if (integrity === undefined) console.error(`The registry gives no checksum for ${wanted.name}@${wanted.version}.`);
  else found.set(path, integrity);
}
writeFileSync(file, `${JSON.stringify(addIntegrity(lockfile, found), null, 2)}\n`);
