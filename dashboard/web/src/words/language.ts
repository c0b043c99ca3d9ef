import { signal } from '@preact/signals';

export const LANGUAGES = ['en', 'id'] as const;
export type Language = (typeof LANGUAGES)[number];

const STORED = 'lontar-language';
const LOCALES = { en: 'en', id: 'id-ID' } as const satisfies Record<Language, string>;

/** The language of the page: the chosen one, else the browser's. */
export const language = signal<Language>(readLanguage());

/** What a word of a catalog is: itself, or what makes it of its parts. */
type Word = string | ((...parts: never[]) => string) | { readonly [name: string]: Word };
/** The same names with other words. */
type Alike<Words> = {
  readonly [Name in keyof Words]: Words[Name] extends string
    ? string
    : Words[Name] extends (...parts: infer Parts) => string
      ? (...parts: Parts) => string
      : Alike<Words[Name]>;
};

/**
 * The words of one part of the page in every language; a word that one of them lacks is an error of types.
 *
 * @returns gives the words of the language of now; what draws with them is drawn anew when it changes
 */
export function catalog<const Words extends { readonly [name: string]: Word }>(all: {
  readonly en: Words;
  readonly id: Alike<Words>;
}): () => Alike<Words> {
  return () => (language.value === 'en' ? (all.en as unknown as Alike<Words>) : all.id);
}

/** `1 request`, `12 requests`: English tells one from many, and Indonesian does not. */
export function counted(count: string, noun: string): string {
  return `${count} ${count === '1' ? noun : `${noun}s`}`;
}

/** The language as `Intl` names it. */
export function locale(): string {
  return LOCALES[language.value];
}

/** Puts the language on the page, for screen readers and hyphenation. */
export function applyLanguage(): void {
  document.documentElement.lang = language.value;
}

export function changeLanguage(wanted: Language): void {
  language.value = wanted;
  try {
    localStorage.setItem(STORED, wanted);
  } catch {
    // Private windows may keep nothing; the choice holds until the page is closed.
  }
  applyLanguage();
}

function readLanguage(): Language {
  const known = (name: string | null | undefined) => LANGUAGES.find((language) => language === name?.slice(0, 2));
  try {
    return known(localStorage.getItem(STORED)) ?? known(navigator.language) ?? 'en';
  } catch {
    return 'en';
  }
}
