/** The words of a text, separated by white space. */
export const wordList = (words: string): readonly string[] => words.trim().split(/\s+/);

export const wordSet = (words: string): ReadonlySet<string> => new Set(wordList(words));
