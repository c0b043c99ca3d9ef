import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;
const LOOK_SOON_MS = 10;
/** A guard against waiting for ever, not a measure: a busy machine takes its time. */
const COMES_WITHIN_MS = 120_000;

/**
 * Looks again until something is true; an error counts as not yet.
 *
 * @throws when the time is over
 */
export async function eventually(isTrue: () => Promise<boolean>, withinMs = COMES_WITHIN_MS): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await isTrue().catch(() => false))) {
    if (Date.now() > end) throw new Error('it did not come true in time');
    await delay(LOOK_EVERY_MS);
  }
}

/**
 * Holds an assertion against what may still be on its way.
 *
 * @throws what the assertion threw last, when the time is over
 */
export async function soon(assert: () => Promise<void>, withinMs = COMES_WITHIN_MS): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      return await assert();
    } catch (error) {
      if (Date.now() > end) throw error;
      await delay(LOOK_EVERY_MS);
    }
  }
}

/**
 * Looks again until a condition holds; the test's own timeout bounds it. With a pause: what is waited for needs the
 * processor too.
 *
 * @throws what the condition throws
 */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(LOOK_SOON_MS);
}
