import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { completeLockfile, type LockPackages, missingPlatformEntries } from './complete-lockfile.ts';

describe('missingPlatformEntries', () => {
  test('names the binaries for other systems', () => {
    const packages = {
      'node_modules/linter': {
        version: '1.2.3',
        dev: true,
        optionalDependencies: {
          '@linter/binding-linux-arm64-musl': '1.2.3',
          '@linter/darwin-x64': '1.2.3',
          '@linter/here-linux-x64-gnu': '1.2.3',
          fsevents: '^2.0.0',
        },
      },
      'node_modules/@linter/here-linux-x64-gnu': { version: '1.2.3' },
    };
    expect(missingPlatformEntries(packages)).toEqual({
      'node_modules/@linter/binding-linux-arm64-musl': {
        version: '1.2.3',
        dev: true,
        optional: true,
        os: ['linux'],
        cpu: ['arm64'],
        libc: ['musl'],
      },
      'node_modules/@linter/darwin-x64': { version: '1.2.3', dev: true, optional: true, os: ['darwin'], cpu: ['x64'] },
    });
    expect(missingPlatformEntries(completeLockfile({ packages }).packages)).toEqual({});
  });

  test('the lockfile lacks none, so that npm ci takes it (npm run lockfile adds them)', () => {
    const file = new URL('../../../package-lock.json', import.meta.url);
    const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: LockPackages };
    expect(Object.keys(missingPlatformEntries(packages))).toEqual([]);
  });
});
