import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { restartDelayMs } from './backoff.ts';
import { listenForStop } from './stop-requests.ts';

describe('restartDelayMs', () => {
  test('doubles from 250 ms to 5 s, and begins again after 10 s of health', () => {
    const delays = [0, 1, 2, 3, 4, 5].reduce<number[]>((all) => [...all, restartDelayMs(all.at(-1) ?? 0, 100)], []);
    expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000]);
    expect(restartDelayMs(5_000, 9_999)).toBe(5_000);
    expect(restartDelayMs(5_000, 10_000)).toBe(250);
  });
});

describe('listenForStop', () => {
  test('one Ctrl-C that arrives several times stops in order; a later one kills', () => {
    let now = 1_000;
    const source = new EventEmitter();
    const { stop, kill } = listenForStop(source, () => now);
    source.emit('SIGINT');
    now += 900;
    source.emit('SIGINT');
    source.emit('SIGTERM');
    expect([stop.aborted, kill.aborted]).toEqual([true, false]);
    now += 200;
    source.emit('SIGINT');
    expect(kill.aborted).toBe(true);
  });

  test.each(['SIGTERM', 'SIGHUP', 'disconnect'])('%s stops in order', (name) => {
    const source = new EventEmitter();
    const { stop } = listenForStop(source);
    source.emit(name);
    expect(stop.aborted).toBe(true);
  });
});
