import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { isAlive, type Launched, listenTo, runningIn } from './harness/npm-start.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MOST_BYTES = 15 * 1024 ** 2;

jest.setTimeout(300_000);

/** As on a machine that has Node and npm and nothing of this project. */
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

let outside: string;
let tarball: string;
let empty: string;
let environment: Record<string, string>;

beforeAll(async () => {
  outside = mkdtempSync(join(tmpdir(), 'lontar-package-'));
  await run('npm', ['pack', '--pack-destination', outside], { cwd: ROOT, maxBuffer: 16 * 1024 ** 2 });
  tarball = join(outside, readdirSync(outside).find((name) => /^lontar-.*\.tgz$/.test(name)) ?? 'none');
  empty = mkdtempSync(join(outside, 'empty-'));
  environment = { PATH, HOME: process.env['HOME'] ?? outside, PORT: String(await freePort()), MODEL_PROVIDER: 'demo' };
});
afterAll(() => rmSync(outside, { recursive: true, force: true }));

/** What a failure is explained by. */
function endOfLog(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8').slice(-4_000) : `no ${path}`;
}

describe('the npm package', () => {
  test('is small, has page and docs, and neither tests nor what belongs to one machine', () => {
    expect(statSync(tarball).size).toBeLessThan(MOST_BYTES);
    const files = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).trimEnd().split('\n');
    const has = ['dashboard/dist/index.html', 'docs/operating.md', 'cli/lontar.mjs', 'dist/lockfile.json', 'LICENSE'];
    expect(files).toEqual(expect.arrayContaining(has.map((file) => `package/${file}`)));
    const unwanted = /\.test\.ts$|\/testing\/|node_modules|\/\.lontar\/|\.env$|^package\/e2e\/(?!package\.json)/;
    expect(files.filter((file) => unwanted.test(file))).toEqual([]);
  });

  test('starts from an empty folder with npx, answers, takes commands as it prints them, and stops', async () => {
    const launched: Launched = listenTo(
      spawn('npx', ['--yes', join('..', basename(tarball)), 'start'], {
        cwd: empty,
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    try {
      await launched.says(/Ctrl-C stops everything/);
      const [line = ''] = /curl -G .*/.exec(launched.said()) ?? [];
      const answer = JSON.parse(execFileSync('sh', ['-c', `${line} -sS`], { encoding: 'utf8' }));
      expect(answer).toMatchObject({ status: true, result: expect.stringContaining('***') });
      const { page, reference } = await pages(environment['PORT'] ?? '');
      expect(page).toContain('<script');
      expect(reference).toContain('/api/ai');

      // What it prints is typed where it was printed.
      const [, typed = ''] = /a new one: (.+?) dashboard\)/.exec(launched.said()) ?? [];
      const type = (words: string) => run('sh', ['-c', `${typed} ${words}`], { cwd: empty, env: environment });
      expect((await type('dashboard')).stdout).toMatch(/^http:\S+\?code=/);
      expect((await type('keys list')).stdout).toContain('first key');
      expect((await type('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
      await expect(type('keys show 0123456789')).rejects.toMatchObject({
        code: 3,
        stderr: expect.stringContaining(`See: ${typed} keys list`),
      });
    } catch (error) {
      throw new Error(`${launched.said()}\n${endOfLog(join(empty, '.lontar', 'logs', 'gateway-1.log'))}`, {
        cause: error,
      });
    } finally {
      const pids = [...runningIn(join(empty, '.lontar')).values()];
      launched.process.kill('SIGTERM');
      await launched.ended;
      expect(pids.filter(isAlive)).toEqual([]);
    }
    // All of it is in the one folder.
    expect(readdirSync(empty)).toEqual(['.lontar']);
  });

  test('a newer package that cannot be installed leaves the earlier one as it was', async () => {
    const broken = join(outside, 'broken');
    mkdirSync(broken);
    execFileSync('tar', ['xzf', tarball, '-C', broken]);
    // What npm cannot read it refuses at once.
    writeFileSync(join(broken, 'package', 'gateway', 'package.json'), '{');
    execFileSync('tar', ['czf', join(outside, 'broken.tgz'), '-C', broken, 'package']);
    const options = { cwd: empty, env: environment };
    await expect(run('npx', ['--yes', '../broken.tgz', '--version'], options)).rejects.toMatchObject({ code: 1 });
    expect((await run('.lontar/lontar', ['--version'], options)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

async function pages(port: string): Promise<{ page: string; reference: string }> {
  const text = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  return { page: await text('/'), reference: await text('/docs') };
}
