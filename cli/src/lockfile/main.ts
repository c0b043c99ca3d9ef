import { readFileSync, writeFileSync } from 'node:fs';
import { completeLockfile, type LockPackages } from './complete-lockfile.ts';

const file = new URL('../../../package-lock.json', import.meta.url);
const lockfile = JSON.parse(readFileSync(file, 'utf8')) as { packages: LockPackages };
writeFileSync(file, `${JSON.stringify(completeLockfile(lockfile), null, 2)}\n`);
