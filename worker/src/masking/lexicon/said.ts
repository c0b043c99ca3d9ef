import { wordSet } from './word-set.ts';

/** Verbs and prepositions between the name of a password and the word that it is, in the languages whose sentences are read. */
export const SAID_VERBS = wordSet(`
  is was will became adalah yaitu ialah menjadi jadi sekarang
  ist war lautet lautete heißt wird
  es era será está est était sera é è era sarà
  is heet luidt wordt werd
 being rimasta rimasto restée resté är jest brzmi lyder
  masih remains stays remained stayed reads bleibt blieb reste restera resta rimane sigue queda quedó continúa ficou continua fica blijft bleef tetap kekal остаётся остается остался oldu это будет стал`);
/** The same where the sentence says that it was changed: into what. */
export const SAID_PREPOSITIONS = wordSet('to into ke auf zu a por à para en naar op na на');
/** Behind one of these the sentence says whose password it is, whatever that is called: `for the storage account`. */
export const SAID_OWNER_PREPOSITIONS = wordSet(
  'at in on of for from by under inside von vom für im am auf beim zum zur der des dem de del du des da do das dos della del dello di untuk pada dari di van voor op bij in от для у к в на pour dans chez para en no na',
);
/** What says so, by the beginning of the word. */
export const SAYS_CHANGE =
  /(?:^|[^\p{L}])(?:set|reset|chang|updat|rotat|switch|ganti|diganti|ubah|diubah|redefin|alter|troc|mud[eo]|cambi|pus[eo]|teruggezet|gewijzig|verander|gesetzt|zurückgesetzt|geändert|remis|modifi|измен|смен)/iu;
/** Words between those and the value. */
export const SAID_ADVERBS = wordSet(
  'en simply literally always actually only einfach nur immer simplement toujours simplemente siempre simplesmente sempre semplicemente gewoon altijd cuma hanya просто всегда sadece hala be now still just currently again temporarily set changed reset to going be jetzt nun wieder auf maintenant toujours ahora todavía agora ainda nu nog steeds sekarang masih теперь сейчас',
);
