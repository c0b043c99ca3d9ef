import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import { createHome, homeAt } from '../home/home.ts';
import { unpackRedis } from './unpacked-redis.ts';

jest.setTimeout(300_000);

/** Whether apt knows where to get Redis from: a machine without package lists, or without apt, cannot be asked. */
function aptHasRedis(): boolean {
  try {
    return execFileSync('apt-get', ['-q', 'download', '--print-uris', 'redis-tools'], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
}

describe('a Redis for a user who may not install one', () => {
  const progress = { write: () => undefined };

  (aptHasRedis() ? test : test.skip)('is unpacked in LONTAR_HOME, runs, and is found again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lontar-unpack-'));
    try {
      const home = homeAt(folder, folder);
      createHome(home);
      const program = await unpackRedis(process.env, home, progress);
      // A mirror that cannot be reached is no fault of ours, and is said.
      if (typeof program === 'string') {
        expect(program).toMatch(/^redis-server could not be unpacked .+apt-get said/s);
        return;
      }
      expect(program.path.startsWith(join(folder, 'redis-program'))).toBe(true);
      const env = { LD_LIBRARY_PATH: program.libraries };
      expect(execFileSync(program.path, ['--version'], { env, encoding: 'utf8' })).toMatch(/v=\d+\./);
      expect(readdirSync(join(folder, 'redis-program'))).toEqual(['root']);
      const made = statSync(program.path).ino;
      expect(await unpackRedis(process.env, home, progress)).toEqual(program);
      expect(statSync(program.path).ino).toBe(made);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('is said to be impossible without apt, and nothing is left', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lontar with a space-'));
    try {
      const home = homeAt(folder, folder);
      createHome(home);
      expect(await unpackRedis(process.env, home, progress)).toMatch(/^redis-server could not be unpacked/);
      expect(existsSync(join(folder, 'redis-program'))).toBe(false);
      expect(readdirSync(folder).filter((name) => name.includes('redis-program'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
