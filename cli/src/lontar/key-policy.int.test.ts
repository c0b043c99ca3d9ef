import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { type Ended, runInProcess } from '../../testing/run-in-process.ts';

const USUAL = { mask: ['url', 'key', 'ip', 'connection'], keepOwn: false, addressLimit: true, onDisconnect: 'abort' };

let redis: TestRedis;
let folder: string;

beforeAll(async () => {
  redis = await startTestRedis();
  folder = await mkdtemp(join(tmpdir(), 'lontar-cli-'));
});
afterAll(async () => {
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

function keys(args: readonly string[], settings: Record<string, string> = {}): Promise<Ended> {
  const environment = { REDIS_URL: redis.url, KEY_PEPPER: 'p'.repeat(40), LONTAR_HOME: folder, ...settings };
  return runInProcess(folder, environment, ['keys', ...args]);
}

async function json(...args: string[]): Promise<Record<string, unknown> & { id: string }> {
  const { code, out, err } = await keys([...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('what is masked, exempt, and goes on', () => {
  test('is as usual unless it is said, and then stored nowhere', async () => {
    const { id, ...made } = await json('create', '--name', 'usual', '--mask', 'connection,ip,key,url', '--no-keep-own');
    expect(made).toMatchObject(USUAL);
    expect(Object.keys(await redis.client.hgetall(redisKeys.apiKey(id))).sort()).toEqual(
      ['id', 'hash', 'name', 'state', 'createdAt', 'charged'].sort(),
    );
    expect((await keys(['show', id])).out).toMatch(/^masked +all$/m);
    expect((await keys(['list'])).out).toMatch(new RegExp(`^${id} .* - +usual$`, 'm'));
  });

  test('is made, shown, changed and taken back', async () => {
    const options = ['--mask', 'ip, key,ip', '--keep-own', '--no-address-limit'];
    const { id, ...made } = await json('create', '--name', 'agent', ...options);
    expect(made).toMatchObject({ ...USUAL, mask: ['key', 'ip'], keepOwn: true, addressLimit: false });
    const finished = await json('update', id, '--on-disconnect', 'finish');
    expect(finished).toMatchObject({ mask: ['key', 'ip'], addressLimit: false, onDisconnect: 'finish' });
    const { out } = await keys(['show', id]);
    expect(out).toMatch(/^masked +key, ip, but what the caller sent$/m);
    expect(out).toMatch(/^address limit +exempt$/m);
    expect(out).toMatch(/^on disconnect +finish$/m);
    const row = ' mask=key,ip keep-own no-address-limit on-disconnect=finish +agent$';
    expect((await keys(['list'])).out).toMatch(new RegExp(`^${id} .*${row}`, 'm'));
    const back = ['--mask', 'all', '--no-keep-own', '--address-limit', '--on-disconnect', 'abort'];
    expect(await json('update', id, ...back)).toMatchObject(USUAL);
  });

  test.each([
    ['--mask', 'none', 'It must be all, or a list of url, key, ip, connection'],
    ['--mask', 'url,password', 'It must be all, or a list of'],
    ['--mask', 'all,url', 'It must be all, or a list of'],
    ['--mask', ',', 'It must be all, or a list of'],
    ['--on-disconnect', 'stay', 'Allowed choices are abort, finish'],
    ['--on-disconnect', 'none', 'Allowed choices are abort, finish'],
  ])('is not %s %s', async (option, value, why) => {
    for (const command of [
      ['create', '--name', 'x'],
      ['update', '0123456789'],
    ]) {
      const { code, out, err } = await keys([...command, option, value]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(option);
      expect(err).toContain(why);
    }
  });
});

describe('a list of some keys', () => {
  test('has those that were asked for, in the order that was asked for, over many pages', async () => {
    const owner = ['--owner', ' Ann Bold '];
    const { id, ...made } = await json('create', '--name', 'zeta bot', ...owner, '--note', 'paid in cash');
    expect(made).toMatchObject({ owner: 'Ann Bold', note: 'paid in cash', version: 1, lastUsedAt: null });
    await json('create', '--name', 'alpha bot', ...owner);
    const names = async (...args: string[]) => {
      const { code, out } = await keys(['list', '--json', ...args]);
      expect(code).toBe(0);
      return (JSON.parse(out) as { name: string }[]).map(({ name }) => name);
    };
    expect(await names('--owner', 'Ann Bold')).toEqual(['zeta bot', 'alpha bot']);
    expect((await names('--search', 'BOT')).sort()).toEqual(['alpha bot', 'zeta bot']);
    expect((await names('--sort', 'name')).slice(-1)).toEqual(['zeta bot']);
    expect(await names('--owner', 'Ann Bold', '--descending', '--limit', '1')).toEqual(['alpha bot']);
    expect((await keys(['list', '--owner', 'nobody'])).out).toBe('There are no such keys.\n');
    expect((await keys(['show', id])).out).toMatch(/^owner +Ann Bold$/m);
    expect(await json('update', id, '--owner', 'none', '--note', 'none')).toMatchObject({
      owner: null,
      note: null,
      version: 2,
    });
    expect((await keys(['delete', id])).out).toContain('zeta bot');
    expect((await keys(['delete', id])).code).toBe(3);
    expect(await names('--owner', 'Ann Bold')).toEqual(['alpha bot']);
  });

  test.each([
    ['--name', '\u202Egpj.exe', 'U+202E'],
    ['--owner', 'x'.repeat(10_000), '1 to 100 characters'],
    ['--note', 'a\nb', 'U+000A'],
  ])('no key has the %s %.20j', async (option, value, why) => {
    const { code, out, err } = await keys(['create', '--name', 'x', option, value]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(why);
  });
});

describe('a limit that can never be reached', () => {
  const WARNING =
    'warning: --per-hour 5000 can only be reached from 50 addresses or more: RATE_LIMIT_PER_HOUR lets 100 requests an hour through from each address. --no-address-limit exempts the key.\n';

  test('is warned of when it is given, and the key is made or changed all the same', async () => {
    const { code, out, err } = await keys(['create', '--name', 'x', '--per-hour', '5000', '--json']);
    expect({ code, err }).toEqual({ code: 0, err: WARNING });
    const { id } = JSON.parse(out) as { id: string };
    expect((await keys(['update', id, '--name', 'y'])).err).toBe('');
    const update = async (...args: string[]) => (await keys(['update', id, ...args])).err;
    expect(await update('--per-day', '50')).toBe(
      'warning: --per-hour 5000 can never be reached: --per-day 50 is reached first.\n',
    );
    expect(await update('--per-day', 'none', '--no-address-limit')).toBe('');
    expect(await update('--address-limit')).toBe(WARNING);
  });

  test('is judged by RATE_LIMIT_PER_HOUR as it is set here, and by nothing where that is wrong', async () => {
    const create = async (most: string) =>
      (await keys(['create', '--name', 'x', '--per-hour', '5000'], { RATE_LIMIT_PER_HOUR: most })).err;
    expect(await create('5000')).not.toContain('warning');
    expect(await create('4999')).toContain('can only be reached from 2 addresses or more');
    expect(await create('many')).not.toContain('warning');
  });
});
