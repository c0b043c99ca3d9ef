import { setTimeout as delay } from 'node:timers/promises';

/**
 * Looks again until something is true; an error counts as not yet.
 *
 * @throws when the time is over
 */
export async function eventually(isTrue: () => Promise<boolean>, withinMs: number): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await isTrue().catch(() => false))) {
    if (Date.now() > end) throw new Error('it did not come true in time');
    await delay(500);
  }
}
