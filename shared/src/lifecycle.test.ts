import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createLifecycle, StoppedWhileStarting } from './lifecycle.ts';
import { createLogger } from './logger.ts';

const lifecycle = () => createLifecycle(createLogger('test', 'silent'));

test('parts stop in the reverse order of their start, once', async () => {
  const stopped: string[] = [];
  const parts = lifecycle();
  for (const name of ['redis', 'queue', 'listener']) parts.started(name, () => void stopped.push(name));
  expect(parts.stopping).toBe(false);
  expect(await Promise.all([parts.stop(1_000), parts.stop(1_000)])).toEqual([true, true]);
  expect(stopped).toEqual(['listener', 'queue', 'redis']);
  expect(parts.stopping).toBe(true);
});

test('a part that fails or hangs is distinguished from a clean stop, and does not keep the others from stopping', async () => {
  const stopped: string[] = [];
  const parts = lifecycle();
  parts.started('first', () => void stopped.push('first'));
  parts.started('fails', () => Promise.reject(new Error('no')));
  parts.started('hangs', () => new Promise(() => undefined));
  expect(await parts.stop(50)).toBe(false);
  expect(stopped).toEqual(['first']);
});

test('a part that needs it has time of its own behind those that used up the time of all', async () => {
  const parts = lifecycle();
  parts.started('tells others', () => delay(500), 60_000);
  expect(await parts.stop(0)).toBe(true);
});

test('a stop breaks a start off, and stops what starts in spite of it', async () => {
  const stopped: string[] = [];
  const parts = lifecycle();
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>();
  const start = async () => {
    parts.started('redis', () => {
      stopped.push('redis');
      connect();
    });
    await connected;
    parts.started('late', () => void stopped.push('late'));
    stopped.push('never');
  };
  const starting = start();
  expect(await parts.stop(1_000, starting)).toBe(true);
  expect(stopped).toEqual(['redis', 'late']);
  await expect(starting).rejects.toThrow(StoppedWhileStarting);
});

test('what a start waits for ends with the stop, and only then', async () => {
  const parts = lifecycle();
  expect(await parts.unlessStopped(Promise.resolve('there'))).toBe('there');
  await expect(parts.unlessStopped(Promise.reject(new Error('no')))).rejects.toThrow('no');
  const waiting = parts.unlessStopped(new Promise(() => undefined));
  expect(await parts.stop(1_000, waiting)).toBe(true);
  await expect(waiting).rejects.toThrow(StoppedWhileStarting);
});
