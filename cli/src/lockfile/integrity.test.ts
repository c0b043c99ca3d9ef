import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { LockPackages } from './complete-lockfile.ts';
import { addIntegrity, entriesWithoutIntegrity } from './integrity.ts';

/** Systems that the image is built for and that tests run on, as npm names them. */
const OWN_SYSTEMS = { os: 'linux', cpu: ['x64', 'arm64'], libc: 'glibc' };

describe('entriesWithoutIntegrity', () => {
  const packages = {
    '': { version: '1.0.0' },
    gateway: { version: '1.0.0' },
    'node_modules/@lontar/gateway': { link: true },
    'node_modules/whole': { version: '1.0.0', integrity: 'sha512-x' },
    'node_modules/parent': { version: '1.0.0', integrity: 'sha512-x' },
    'node_modules/parent/node_modules/bundled': { version: '1.0.0', inBundle: true },
    'node_modules/parent/node_modules/@scope/bare': { version: '2.0.0' },
    'node_modules/alias': { version: '3.0.0', name: 'real' },
  };

  test('names what is fetched and carries no checksum', () => {
    expect(entriesWithoutIntegrity(packages)).toEqual({
      'node_modules/parent/node_modules/@scope/bare': { name: '@scope/bare', version: '2.0.0' },
      'node_modules/alias': { name: 'real', version: '3.0.0' },
    });
  });

  test('is shown by a lockfile that got them no more', () => {
    const found = new Map([
      ['node_modules/alias', 'sha512-a'],
      ['node_modules/whole', 'sha512-other'],
    ]);
    const after = addIntegrity({ packages }, found).packages as LockPackages;
    expect(Object.keys(entriesWithoutIntegrity(after))).toEqual(['node_modules/parent/node_modules/@scope/bare']);
    expect(JSON.stringify(after['node_modules/alias'])).toBe(
      '{"version":"3.0.0","integrity":"sha512-a","name":"real"}',
    );
    expect(after['node_modules/whole']).toBe(packages['node_modules/whole']);
  });
});

describe('package-lock.json', () => {
  const text = readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: LockPackages };

  // Binaries for other systems, which npm adds to every lockfile, whether the registry has them or not. Their packages
  // come before they do, and `npm run lockfile` asks for the checksums again.
  test('has a checksum for everything but optional binaries of systems that are not ours', () => {
    for (const path of Object.keys(entriesWithoutIntegrity(packages))) {
      const { optional, os, cpu, libc } = packages[path] as Record<string, string[] | boolean | undefined>;
      expect({ path, optional }).toEqual({ path, optional: true });
      const fits = (list: unknown, one: string) => !Array.isArray(list) || list.includes(one);
      const isOurs =
        fits(os, OWN_SYSTEMS.os) && OWN_SYSTEMS.cpu.some((name) => fits(cpu, name)) && fits(libc, OWN_SYSTEMS.libc);
      expect({ path, isOurs }).toEqual({ path, isOurs: false });
    }
  });

  test('names no registry: every checksum is of npm, wherever the package is fetched from', () => {
    const resolved = Object.entries(packages).filter(([, entry]) => entry['resolved'] !== undefined);
    for (const [, entry] of resolved) expect(entry).toMatchObject({ link: true });
    for (const [path, { integrity }] of Object.entries(packages)) {
      if (integrity !== undefined)
        expect({ path, integrity }).toEqual({ path, integrity: expect.stringMatching(/^sha512-/) });
    }
  });
});
