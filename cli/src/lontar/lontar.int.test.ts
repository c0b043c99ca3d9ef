import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { readKeyId } from '@lontar/shared/api-key.ts';
import { operatorKeys } from '@lontar/shared/operator-sessions.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const PEPPER = 'a pepper of this test, longer than 32 characters';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

// Each command is a process of its own, and a busy machine starts them slowly.
jest.setTimeout(60_000);

let redis: TestRedis;
let home: string;

beforeAll(async () => {
  redis = await startTestRedis();
  home = mkdtempSync(join(tmpdir(), 'lontar-cli-'));
  chmodSync(home, 0o700);
});
afterAll(async () => {
  await redis.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Runs the real command. A setting given as `undefined` is absent. */
function lontar(args: readonly string[], environment: Record<string, string | undefined> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH, NODE_COMPILE_CACHE, LONTAR_HOME: home, REDIS_URL: redis.url, KEY_PEPPER: PEPPER, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
}

async function create(...args: string[]): Promise<Record<string, unknown> & { id: string; key: string }> {
  const { code, out, err } = await lontar(['keys', 'create', '--json', ...args]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('keys', () => {
  test('create --json prints one object and nothing else', async () => {
    const made = await create('--name', ' shop ', '--per-hour', '5', '--addresses', '10.0.0.0/8, 2001:db8::/48');
    expect(readKeyId(made.key)).toBe(made.id);
    expect(made).toMatchObject({ name: 'shop', perHour: 5, addresses: ['10.0.0.0/8', '2001:db8::/48'], models: null });
    expect(Object.keys(made).slice(0, 2)).toEqual(['id', 'key']);
    expect(made).not.toHaveProperty('hash');
  });

  test('create without --json shows the key as the last line of its output', async () => {
    const { code, out } = await lontar(['keys', 'create', '--name', 'x', '--expires', '30d']);
    expect(code).toBe(0);
    expect(readKeyId(out.trimEnd().split('\n').at(-1) ?? '')).toBeDefined();
  });

  test('list and show never give a key or a hash away', async () => {
    const { id, key } = await create('--name', 'listed');
    for (const args of [['list'], ['show', id]]) {
      for (const json of [[], ['--json']]) {
        const { code, out } = await lontar(['keys', ...args, ...json]);
        expect(code).toBe(0);
        expect(out).toContain(id);
        expect(out).not.toContain(key.slice(-38));
        expect(out).not.toContain((await redis.client.hget(redisKeys.apiKey(id), 'hash')) ?? 'no hash');
      }
    }
  });

  test('update changes and clears limits, rotate gives a new key, revoke ends it', async () => {
    const { id, key } = await create('--name', 'x', '--per-day', '9', '--models', 'ai-2.5-pro');
    const updated = await lontar([
      'keys',
      'update',
      id,
      '--per-day',
      'none',
      '--models',
      'none',
      '--credits',
      '3',
      '--json',
    ]);
    expect(JSON.parse(updated.out)).toMatchObject({ perDay: null, models: null, credits: 3, name: 'x' });

    const rotated = JSON.parse((await lontar(['keys', 'rotate', id, '--overlap', '1h', '--json'])).out);
    expect(rotated).toMatchObject({ id, oldKeyUntil: expect.any(String) });
    expect(rotated.key).not.toBe(key);

    const ended = await lontar(['keys', 'revoke', id, '--json']);
    expect(JSON.parse(ended.out)).toMatchObject({ state: 'revoked', oldKeyUntil: null });
    expect((await lontar(['keys', 'rotate', id])).code).toBe(1);
  });

  test.each([
    [['--per-hour', '0'], '--per-hour'],
    [['--per-day', 'many'], '--per-day'],
    [['--credits', '-1'], '--credits'],
    [['--concurrency', '1.5'], '--concurrency'],
    [['--models', 'gpt-4'], '--models'],
    [['--addresses', '10.0.0.0/33'], '--addresses'],
    [['--max-output-tokens', 'none'], '--max-output-tokens'],
    [['--expires', '2020-01-01'], '--expires'],
    [['--expires', '2027-02-31'], '--expires'],
    [['--unknown'], '--unknown'],
    [['--name', ' '], '--name'],
  ])('create %j is refused by name with exit code 2', async (args, option) => {
    const { code, out, err } = await lontar(['keys', 'create', '--name', 'x', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(option);
  });

  test.each([
    [['keys', 'show', '0123456789'], 3],
    [['keys', 'revoke', '0123456789'], 3],
    [['keys', 'update', '0123456789', '--per-day', '1'], 3],
    [['keys', 'rotate', '0123456789'], 3],
    [['keys', 'show', 'no id'], 2],
    [['keys', 'create'], 2],
    [['nonsense'], 2],
  ])('%j ends with exit code %i and an empty output', async (args, expected) => {
    const { code, out, err } = await lontar(args);
    expect({ code, out }).toEqual({ code: expected, out: '' });
    expect(err).not.toBe('');
  });
});

describe('finding the service', () => {
  test('an unreachable Redis: exit code 4, the address but not the password', async () => {
    const { code, err } = await lontar(['keys', 'list'], { REDIS_URL: 'redis://:hidden-word@127.0.0.1:1' });
    expect(code).toBe(4);
    expect(err).toContain('127.0.0.1:1');
    expect(err).not.toContain('hidden-word');
  });

  test('nothing running and nothing named: exit code 4', async () => {
    const { code, err } = await lontar(['keys', 'list'], { REDIS_URL: undefined });
    expect(code).toBe(4);
    expect(err).toContain('npm start');
  });

  test('no pepper: exit code 2, because such keys would never be accepted', async () => {
    const { code, err } = await lontar(['keys', 'create', '--name', 'x'], { KEY_PEPPER: undefined });
    expect(code).toBe(2);
    expect(err).toContain('KEY_PEPPER');
  });
});

test('dashboard prints a link whose code is in Redis only as a hash', async () => {
  const { out } = await lontar(['dashboard', '--json', '--url', 'https://ai.example.org/']);
  const { url } = JSON.parse(out) as { url: string };
  expect(url).toMatch(/^https:\/\/ai\.example\.org\/\?code=[\w-]{32}$/);
  const found = await redis.client.zrange(operatorKeys.signInCodes, '0', '-1', 'WITHSCORES');
  expect(found).toHaveLength(2);
  expect(found[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(found[0]).not.toContain(url.split('code=')[1]);
  expect(Number(found[1]) - Date.now()).toBeGreaterThan(500_000);
});

test('config print names every setting and no secret', async () => {
  const { code, out } = await lontar(['config', 'print', '--json'], { GEMINI_API_KEY: 'hidden-word', PORT: '8123' });
  expect(code).toBe(0);
  const { gateway, worker } = JSON.parse(out);
  expect(gateway.PORT).toEqual({ value: '8123', source: 'environment' });
  expect(gateway.HOST).toEqual({ value: '127.0.0.1', source: 'default' });
  expect(worker.GEMINI_API_KEY.source).toBe('environment');
  expect(out).not.toContain('hidden-word');
  expect(out).not.toContain(PEPPER);
});

test('doctor finds that nothing serves', async () => {
  const { code, out } = await lontar(['doctor', '--json']);
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: { check: string; status: string }[] };
  expect({ code, ok }).toEqual({ code: 1, ok: false });
  const failing = checks.filter(({ status }) => status === 'failed').map(({ check }) => check);
  expect(failing).toEqual(['gateway', 'worker', 'stats-service']);
});
