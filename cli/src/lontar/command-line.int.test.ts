import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, jest, test } from '@jest/globals';
import { type Ended, runInProcess } from '../../testing/run-in-process.ts';
import { writeEndpoint } from '../home/endpoint.ts';
import { createHome, homeAt } from '../home/home.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START = join(ROOT, 'cli', 'src', 'start', 'main.ts');
const NOWHERE = 'redis://127.0.0.1:1';

// `npm start` is a process of its own, and a busy machine starts it slowly.
jest.setTimeout(60_000);

/** Runs a command that needs no Redis. */
function lontar(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  return runInProcess(ROOT, { REDIS_URL: NOWHERE, ...environment }, args);
}

test('config print shows the ports that npm start chose', async () => {
  const LONTAR_HOME = mkdtempSync(join(tmpdir(), 'lontar-cli-'));
  try {
    const ports = { 'gateway-1': { PORT: '8081', METRICS_PORT: '9465' }, 'worker-1': { METRICS_PORT: '9466' } };
    const home = homeAt(LONTAR_HOME, ROOT);
    createHome(home);
    const baseUrls = ['http://127.0.0.1:8081'];
    writeEndpoint(home, { pid: 1, redisUrl: NOWHERE, baseUrls, startedAt: '2026-01-01T00:00:00Z', ports });
    const { out } = await lontar(['config', 'print', '--json'], { LONTAR_HOME });
    expect(JSON.parse(out)['ports in use']).toEqual(ports);
    expect((await lontar(['config', 'print'], { LONTAR_HOME })).out).toMatch(
      /ports in use\n {2}gateway-1 +PORT +8081\n/,
    );
  } finally {
    rmSync(LONTAR_HOME, { recursive: true });
  }
});

describe('LONTAR_HOME that can be no folder', () => {
  test.each(['package.json', 'package.json/inside'])('%s ends every command with one sentence and 2', async (path) => {
    for (const args of [['keys', 'list'], ['doctor'], ['config', 'print']]) {
      const { code, out, err } = await lontar(args, { LONTAR_HOME: join(ROOT, path) });
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^LONTAR_HOME=\S+ is (?:a|inside of a) file; set it to a folder .+\.\n$/);
    }
  });

  // New folders are refused under /proc in a way that keeps Node's recursive mkdir busy for ever.
  test.each([join(ROOT, 'package.json'), ...(process.platform === 'linux' ? ['/proc/lontar'] : [])])(
    'npm start refuses %s at once',
    async (LONTAR_HOME) => {
      const { code, out, err } = await start({ LONTAR_HOME });
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^LONTAR_HOME=\S+ .+; set it to a folder .+\.\n$/);
    },
  );

  test('help and version do not ask for it', async () => {
    for (const args of [['--version'], ['keys', '--help']]) {
      expect(await lontar(args, { LONTAR_HOME: join(ROOT, 'package.json') })).toMatchObject({ code: 0, err: '' });
    }
    expect((await lontar(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

test.each(['ftp://x', 'llm.example.com', 'https://user:word@x', 'https://x/?a=1', 'javascript:alert(1)'])(
  'dashboard refuses the address %s',
  async (url) => {
    const { code, out, err } = await lontar(['dashboard', '--url', url]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('must begin with http:// or https://');
  },
);

function start(environment: Record<string, string>): Promise<Ended> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return new Promise((resolve) => {
    const env = { PATH, NODE_COMPILE_CACHE, REDIS_URL: NOWHERE, ...environment };
    const child = execFile(process.execPath, [START], { env, killSignal: 'SIGKILL' }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}
