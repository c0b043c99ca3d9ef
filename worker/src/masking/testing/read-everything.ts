import type { Repeats } from '../repetition.ts';

/** Recognises no repetition: every text is read, however often it was met before. */
export const READ_EVERYTHING: Repeats = {
  met: () => undefined,
  clear: () => undefined,
  forget: () => undefined,
};
