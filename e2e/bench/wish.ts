/** What a round wants of the mock upstream. */
export interface Wish {
  /** Size of the answer's text, bytes. */
  readonly bytes: number;
  /** How long the answer takes, ms. */
  readonly delayMs: number;
}

/** The prompt that carries a wish through a gateway to the mock upstream. */
export function promptFor({ bytes, delayMs }: Wish): string {
  return `Tell me about palm leaves: ${bytes} bytes after ${delayMs} ms.`;
}

/** Finds the wish in a request's body, without parsing it. */
export function readWish(body: string): Wish {
  const [, bytes = '2048', delayMs = '0'] = /: (\d+) bytes after (\d+) ms\./.exec(body) ?? [];
  return { bytes: Number(bytes), delayMs: Number(delayMs) };
}

const PARAGRAPH =
  'The lontar is the leaf of the palm *Borassus flabellifer*. It was **dried, boiled and pressed**, and then written on ' +
  'with a knife; soot made the letters dark. A library of leaves lasted for centuries where paper did not.\n\n' +
  '```js\nconst leaf = { width: 4, length: 60 };\nconsole.log(`${leaf.length / leaf.width} times as long as wide`);\n```\n\n' +
  '- Keep it dry.\n- Oil it once a year.\n- Bind it with a cord, between boards.\n\n';

/** Markdown of exactly so many bytes, as models write it, without anything that must be masked. */
export function answerText(bytes: number): string {
  return PARAGRAPH.repeat(Math.ceil(bytes / PARAGRAPH.length)).slice(0, bytes);
}

/** What a round wants of the mock upstream where it streams. */
export interface StreamWish {
  readonly tokens: number;
  /** Of each stream; 0 is without a pause. */
  readonly tokensPerSecond: number;
  /** From the request to the first token, ms. */
  readonly firstMs: number;
}

/**
 * The prompt that carries it.
 *
 * @param name by which the mock upstream tells afterwards when it sent each token
 */
export function promptForStream({ tokens, tokensPerSecond, firstMs }: StreamWish, name: string): string {
  return `Tell me about palm leaves: ${tokens} tokens, ${tokensPerSecond} a second, after ${firstMs} ms, for ${name}.`;
}

/** Finds it in a request's body. */
export function readStreamWish(body: string): (StreamWish & { readonly name: string }) | undefined {
  const [, tokens, perSecond, firstMs, name = ''] =
    /: (\d{1,6}) tokens, (\d{1,6}) a second, after (\d{1,6}) ms, for (\w{1,40})\./.exec(body) ?? [];
  if (tokens === undefined) return undefined;
  return { tokens: Number(tokens), tokensPerSecond: Number(perSecond), firstMs: Number(firstMs), name };
}

/**
 * As models cut text: a token begins with its space, and words of some length are several. About 3.7 characters each in
 * this text. What is masked is withheld until the word has ended, which only the next token tells.
 */
const TOKEN = / ?[A-Za-z]{1,7}| ?[0-9]{1,3}| ?[^A-Za-z0-9\s]{1,3}|\n{1,2}| {1,4}/g;
const PARAGRAPH_TOKENS = PARAGRAPH.match(TOKEN) ?? [];

/** The text of so many tokens, token by token: all ASCII, so that bytes, characters and UTF-16 units are the same. */
export function streamTokens(count: number): string[] {
  return Array.from({ length: count }, (_, index) => PARAGRAPH_TOKENS[index % PARAGRAPH_TOKENS.length] ?? '');
}
