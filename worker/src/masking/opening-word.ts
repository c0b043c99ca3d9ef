import { wordList } from './lexicon/word-set.ts';
import type { Found } from './policy.ts';

/**
 * Words that answers begin with, in the languages in which secrets are looked for. No word begins with another of them, so
 * that it makes no difference in which pieces a text comes: `The` stands for `There`, too. None has fewer than three
 * letters: of values that are drawn by chance few begin so.
 */
export const OPENING_WORDS: readonly string[] = wordList(`
  Absolutely After All Although And Any Are Assuming Based Because Before Below Both But Can Certainly Correct Could Creating
  Depending Does During Each Either Every Exactly Excellent Finally First Following For From Generally Given Good Got Great
  Hmm Here How Indeed Instead Just Let Look Many Maybe Most Next Not Now Okay Once One Only Please Right Second Several Short
  Simply Since Some Sorry Sounds Sure Thank The Think This Those Though Three Thus Two Typically Unfortunately Unlike Usually
  Very Was What When Where Whether Which While Who Why With Would Yes You
  Als Aqui Auf Avec Baik Berdasarkan Berikut Bien Certo Cette Claro Con Cosa Dans Das Daar Dengan Depuis Der Desde Deze
  Die Dit Ecco Een Ein Esta Este Estos Faites Gerne Graag Het Hier Ich Ini Itu Jika Kamu Klar Laten Les Los Maintenant Mari Mit
  Natuurlijk Non Oui Pada Para Per Por Pour Prima Puedes Questa Questo Saya Sebagai Selon Sie Sono Tentu Terima Uma Una Und
  Une Untuk Usa Vamos Van Veuillez Voici Voor Wenn Wie Wij Yang Zeker Zuerst Zum Zur
`);

const SHORTEST = 3;
const LONGEST = Math.max(...OPENING_WORDS.map((word) => word.length));

/** How long the opening word of a text is; 0 where it has none, `undefined` while its next piece may complete one. */
export type FindOpening = (text: string, final: boolean) => number | undefined;

/**
 * Finds the word that a text begins with if it is one that is shown at once.
 *
 * @param secrets beginnings of the service's own secrets, lower case: words that lie over such a beginning are not shown
 */
export function openingFinder(secrets: readonly string[]): FindOpening {
  const words = new Set(OPENING_WORDS.filter((word) => !liesOver(word.toLowerCase(), secrets)));
  return (text, final) => {
    for (let length = SHORTEST; length <= Math.min(text.length, LONGEST); length++)
      if (words.has(text.slice(0, length))) return length;
    return final || text.length >= LONGEST ? 0 : undefined;
  };
}

function liesOver(word: string, secrets: readonly string[]): boolean {
  const endings = Array.from({ length: word.length - SHORTEST + 1 }, (_, index) => word.slice(index));
  return secrets.some((secret) => endings.some((ending) => secret.startsWith(ending)));
}

/** The opening word of one text: it is shown at once, so that no finding begins before its end. */
export class Opening {
  /** Where it ends, in the text that is held. */
  end = 0;
  /** As long as it is looked for. */
  private find: FindOpening | undefined;

  constructor(find: FindOpening | undefined) {
    this.find = find;
  }

  /** Looks for it in what has come of the text. */
  seek(text: string, final: boolean): void {
    if (this.find === undefined) return;
    const end = this.find(text, final);
    if (end === undefined) return;
    this.end = end;
    this.find = undefined;
  }

  /** What of a finding lies behind it; `undefined` where nothing does. */
  behind(finding: Found): Found | undefined {
    if (finding.start >= this.end) return finding;
    if (finding.end > this.end) return { ...finding, start: this.end };
    const [first, ...also] = finding.also ?? [];
    return first && this.behind({ rule: finding.rule, ...first, also });
  }
}
