import { expect, test } from '@jest/globals';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { shareConnections } from './change-connections.ts';

const connection = (name: string) => ({ name }) as unknown as Redis;

test('each change has a connection to itself; others wait, in order, and one that fails gives its own back', async () => {
  const changes = shareConnections([connection('a'), connection('b')]);
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const run = (name: string) =>
    changes.run((redis) => {
      begun.push(`${name} ${(redis as unknown as { name: string }).name}`);
      return new Promise<void>((resolve, reject) => {
        ends.push(name === 'fails' ? () => reject(new Error(name)) : resolve);
      });
    });
  const all = ['one', 'fails', 'three', 'four'].map((name) => run(name).catch((error: Error) => error.message));
  await Promise.resolve();
  expect(begun).toEqual(['one b', 'fails a']);
  ends[1]?.();
  expect(await all[1]).toBe('fails');
  expect(begun).toEqual(['one b', 'fails a', 'three a']);
  ends[0]?.();
  await all[0];
  expect(begun.at(-1)).toBe('four b');
  for (const end of ends) end();
  await Promise.all(all);
});

test('where a hundred wait, further ones are refused at once', async () => {
  const changes = shareConnections([]);
  for (let index = 0; index < 100; index += 1) void changes.run(() => Promise.resolve());
  await expect(changes.run(() => Promise.resolve())).rejects.toThrow('too many changes wait');
});
