import { setFlagsFromString } from 'node:v8';

/** How long after the last work code is kept, ms. */
const KEPT_MS = 60_000;
/** Whether V8, when it collects because there is little to do, lets go of whatever it could make again. */
const LETS_GO = '--memory-reducer-favors-memory';
const KEEPS = '--no-memory-reducer-favors-memory';

let timer: NodeJS.Timeout | undefined;
let hasWorked = false;

/**
 * Called with each piece of work: V8 keeps compiled code for as long as there is some now and then. When there is little to do it
 * collects, and by itself it then lets go of code that it could compile again as well. That is right for a service that nobody uses. But
 * with 200 requests a second each quiet moment was followed by slower code, for which a quarter of a request's processor time was paid.
 *
 * Sets a flag of V8 that is read when such a collection begins: checked with Node 24.21.0. compiled-code.int.test.ts fails where V8
 * does not know it any more.
 */
export function keepCompiledCode(): void {
  hasWorked = true;
  if (timer !== undefined) return;
  setFlagsFromString(KEEPS);
  timer = setInterval(look, KEPT_MS).unref();
}

function look(): void {
  if (hasWorked) {
    hasWorked = false;
    return;
  }
  clearInterval(timer);
  timer = undefined;
  setFlagsFromString(LETS_GO);
}
