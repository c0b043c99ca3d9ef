import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Command } from 'ioredis';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { connectFailFast, connectPatient } from '../redis-connection.ts';

const run = promisify(execFile);
const CONNECTION = fileURLToPath(new URL('../redis-connection.ts', import.meta.url));
const COMMANDS = 300;
const REPLY_BYTES = 50_000;

let server: TestRedis;

beforeAll(async () => {
  server = await startTestRedis();
  for (let row = 0; row < 50; row++) await server.client.rpush('rows', 'x'.repeat(REPLY_BYTES / 50));
});
afterAll(() => server.stop());

/** By how much the old generation of a process grows that asks so often, bytes; only the young one is collected meanwhile. */
async function growthOf(connect: 'connectFailFast' | 'connectPatient'): Promise<number> {
  const script = `
    import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
    import { runInNewContext } from 'node:vm';
    import { ${connect} } from ${JSON.stringify(CONNECTION)};
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc');
    const old = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_used_size;
    const redis = ${connect}(${JSON.stringify(server.url)}, 'test');
    await redis.connect();
    const ask = async (times) => {
      for (let number = 0; number < times; number++) await redis.lrange('rows', 0, -1);
      for (let minor = 0; minor < 3; minor++) gc({ type: 'minor' });
    };
    await ask(20);
    gc({ type: 'major' });
    const before = old();
    await ask(${COMMANDS});
    console.log(old() - before);
    redis.disconnect();`;
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  const { stdout } = await run(process.execPath, options);
  return Number(stdout);
}

test.each(['connectFailFast', 'connectPatient'] as const)(
  'what commands of %s leave behind dies young',
  async (connect) => {
    // Kept until a full collection, the replies alone would be 15 MB.
    expect(await growthOf(connect)).toBeLessThan((COMMANDS * REPLY_BYTES) / 5);
  },
);

describe('a command', () => {
  const begin = (name: string, args: unknown[], callback?: (error: unknown, reply: unknown) => void) => {
    connectPatient(server.url, 'never connected');
    return new Command(name, args as string[], { replyEncoding: 'utf8' }, callback as never);
  };

  test('takes arguments of every form, and gives its reply as text', async () => {
    const command = begin('mset', [new Map([['a', 1]])]);
    expect(command.toWritable(undefined as never)).toBe('*3\r\n$4\r\nmset\r\n$1\r\na\r\n$1\r\n1\r\n');
    command.resolve(Buffer.from('OK'));
    expect(await command.promise).toBe('OK');
    expect(command).toMatchObject({ isResolved: true, isSettled: true });
  });

  test('is rejected', async () => {
    const command = begin('get', ['a']);
    command.reject(new Error('no'));
    await expect(command.promise).rejects.toThrow('no');
    expect(command).toMatchObject({ isResolved: false, isSettled: true });
  });

  test('is rejected where its arguments cannot be read', async () => {
    const unreadable = {
      toString(): string {
        throw new TypeError('unreadable');
      },
    };
    await expect(begin('get', [unreadable]).promise).rejects.toThrow('unreadable');
  });

  test('calls its callback', async () => {
    const heard = Promise.withResolvers<unknown[]>();
    begin('get', ['a'], (...all) => heard.resolve(all)).resolve(Buffer.from('1'));
    expect(await heard.promise).toEqual([null, '1']);
  });
});

test('a pipeline and a transaction give replies and errors as before', async () => {
  const redis = connectFailFast(server.url, 'test');
  await redis.connect();
  expect(await redis.pipeline().set('a', '1').get('a').lpush('a', 'x').exec()).toEqual([
    [null, 'OK'],
    [null, '1'],
    [expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') }), undefined],
  ]);
  expect(await redis.multi().incr('a').get('a').exec()).toEqual([
    [null, 2],
    [null, '2'],
  ]);
  redis.disconnect();
});
