/** About how many characters of Latin script make one token; of others a token is one or two characters. */
const CHARS_PER_TOKEN = 4;

/** How many tokens a text is, about: for upstreams that do not say. */
export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return Math.ceil((text.length - wide) / CHARS_PER_TOKEN + wide / 1.5);
}

/** Scripts that are written without spaces or in few letters for each word. */
const WIDE = /[\u0900-\u1fff\u2e80-\uffdc]/g;
