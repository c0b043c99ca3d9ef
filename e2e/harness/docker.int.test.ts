import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const HARNESS = fileURLToPath(new URL('./docker.ts', import.meta.url));
const RYUK = 'testcontainers/ryuk:0.14.0';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-docker-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Evaluates an expression of the harness where `docker` answers, has these images, and can pull none. */
function withImages(images: readonly string[], expression: string, environment: Record<string, string> = {}) {
  const cases = images.map((image) => `"image inspect ${image}" | `).join('');
  const docker = join(folder, 'docker');
  writeFileSync(docker, `#!/bin/sh\ncase "$*" in ${cases}info | "compose version") exit 0 ;; esac\nexit 1\n`);
  chmodSync(docker, 0o755);
  const program = `import * as docker from ${JSON.stringify(HARNESS)}; console.log(JSON.stringify(${expression} ?? null))`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    env: { PATH: [folder, process.env['PATH']].join(delimiter), ...environment },
  });
  return { result: JSON.parse(stdout) as unknown, stderr };
}

describe('canRun', () => {
  test('says no, and why, where an engine has no image to clean up with and can pull none', () => {
    const { result, stderr } = withImages(['redis:8'], "docker.canRun('redis:8')");
    expect(result).toBe(false);
    expect(stderr).toContain(RYUK);
  });

  test.each([
    ['with the helper', ['redis:8', RYUK], {}],
    ['with a helper of another name', ['redis:8', 'mirror/ryuk:1'], { RYUK_CONTAINER_IMAGE: 'mirror/ryuk:1' }],
    ['without one, which is turned off', ['redis:8'], { TESTCONTAINERS_RYUK_DISABLED: 'true' }],
  ])('says yes %s', (_what, images, environment) => {
    expect(withImages(images, "docker.canRun('redis:8')", environment).result).toBe(true);
  });

  test('says no without an image of the test itself', () => {
    const { result, stderr } = withImages([RYUK], "docker.canRun('redis:8')");
    expect(result).toBe(false);
    expect(stderr).toContain('redis:8');
  });
});

test('base images are taken by their tag alone where the digest cannot be had', () => {
  const { result } = withImages(
    [RYUK, 'node:24-trixie-slim', 'redis:8'],
    "docker.baseImages('NODE_IMAGE', 'REDIS_IMAGE')",
  );
  expect(result).toEqual({ NODE_IMAGE: 'node:24-trixie-slim', REDIS_IMAGE: 'redis:8' });
  expect(withImages([RYUK, 'redis:8'], "docker.baseImages('NODE_IMAGE', 'REDIS_IMAGE')").result).toBeNull();
});

test('the helper is the one that Testcontainers asks for', async () => {
  const { getReaperImage } = (await import(
    fileURLToPath(new URL('../../node_modules/testcontainers/build/reaper/reaper.js', import.meta.url))
  )) as { getReaperImage(): string };
  expect(getReaperImage()).toBe(process.env['RYUK_CONTAINER_IMAGE'] ?? RYUK);
});
