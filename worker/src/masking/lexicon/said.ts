import { wordSet } from './word-set.ts';

/** Verbs and prepositions between the name of a password and the word that it is, in the languages whose sentences are read. */
export const SAID_VERBS = wordSet(`
  is was will to into became adalah yaitu ialah menjadi jadi ke sekarang
  ist war lautet lautete heißt wird auf zu
  es era será a por está est était sera à é è era sarà para
  is heet luidt wordt werd naar op
  это будет стал на`);
/** Words between those and the value. */
export const SAID_ADVERBS = wordSet(
  'now still just currently again temporarily set changed reset to going be jetzt nun wieder auf maintenant toujours ahora todavía agora ainda nu nog steeds sekarang masih теперь сейчас',
);
