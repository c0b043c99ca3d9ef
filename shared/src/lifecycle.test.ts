import { expect, test } from '@jest/globals';
import { createLifecycle } from './lifecycle.ts';
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
