import { describe, expect, test } from '@jest/globals';
import { createQuarantine } from './quarantine.ts';

const never = new AbortController().signal;

describe('the quarantine', () => {
  test('lets one in at a time, in the order of their coming', async () => {
    const order: string[] = [];
    const quarantine = createQuarantine(() => undefined);
    const first = await quarantine.enter(never);
    const later = ['b', 'c', 'd'].map(async (name) => {
      const leave = await quarantine.enter(never);
      order.push(`${name} in`);
      await Promise.resolve();
      order.push(`${name} out`);
      leave?.();
    });
    expect(order).toEqual([]);
    first?.();
    await Promise.all(later);
    expect(order).toEqual(['b in', 'b out', 'c in', 'c out', 'd in', 'd out']);
    expect(await quarantine.enter(never)).toBeDefined();
  });

  test('forgets who gave up waiting, and reports how many wait', async () => {
    const waiting: number[] = [];
    const quarantine = createQuarantine((count) => waiting.push(count));
    const leave = await quarantine.enter(never);
    const impatient = new AbortController();
    const given = quarantine.enter(impatient.signal);
    const patient = quarantine.enter(never);
    impatient.abort();
    expect(await given).toBeUndefined();
    leave?.();
    expect(await patient).toBeDefined();
    expect(waiting).toEqual([1, 2, 1, 0]);
    expect(await quarantine.enter(AbortSignal.abort())).toBeUndefined();
  });

  test('refuses all that wait when it closes, but for the one inside', async () => {
    const quarantine = createQuarantine(() => undefined);
    expect(await quarantine.enter(never)).toBeDefined();
    const waiting = [quarantine.enter(never), quarantine.enter(never)];
    quarantine.close();
    expect(await Promise.all([...waiting, quarantine.enter(never)])).toEqual([undefined, undefined, undefined]);
  });

  test('is left once, however often that is said', async () => {
    const quarantine = createQuarantine(() => undefined);
    const leave = await quarantine.enter(never);
    const second = quarantine.enter(never);
    leave?.();
    await second;
    leave?.();
    let isIn = false;
    void quarantine.enter(never).then(() => {
      isIn = true;
    });
    await new Promise(setImmediate);
    expect(isIn).toBe(false);
  });
});
