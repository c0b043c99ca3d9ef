import { createHash } from 'node:crypto';
import type { ToolCall } from '@lontar/shared/chat-request.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { createMasker } from '../../../worker/src/masking/mask.ts';

/** Of a secret; a text that shows twice as much of it less one holds one of the pieces whole. */
const FRAGMENT_UNITS = 8;

const WORDS =
  'the queue keeps an answer until its reader is back; größer, 東京, naïve, 🚀, 👩‍👩‍👧, and `code` = {"a": [1, 2]}\n\n- a point. A masked value costs nothing: '.split(
    ' ',
  );

const masker = createMasker();

/** What the upstream answers to streams, and what of it callers may see. */
export interface StreamTexts {
  /** Secrets that are in answers alone. */
  readonly secrets: readonly string[];
  /** The answer to a request, the same for the same nonce, which it begins with. */
  answerTo(nonce: string): string;
  /** The same as it is given in one piece: masked. */
  maskedAnswerTo(nonce: string): string;
  /** What the model thinks aloud before it, for some nonces, and the same masked; '' for none. */
  thoughtOf(nonce: string): string | undefined;
  maskedThoughtOf(nonce: string): string;
  /** The tool call behind it, for some nonces: secrets are in its arguments. */
  callOf(nonce: string): ToolCall | undefined;
  /** @returns how many fragments of the secrets are in a text */
  fragmentsIn(text: string): number;
}

/**
 * Texts with characters of two units and with secrets in them, some of which stand at the beginning or at the end.
 *
 * @param token a secret that masking knows
 */
export function createStreamTexts(token: string): StreamTexts {
  const password = createHash('sha256').update(token).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, 24);
  const secrets = [token, password];
  const shown = [token, `postgres://app:${password}@db.example.com:5432/main`, `Authorization: Bearer ${token}`];
  const fragments = secrets.flatMap((secret) => fragmentsOf(secret.replace('ghp_', '')));
  const fragmentsIn = (text: string) => fragments.filter((fragment) => text.includes(fragment)).length;
  const answerTo = (nonce: string) => {
    const random = seededRandom(createHash('sha256').update(nonce).digest().readUInt32LE());
    const words = [nonce];
    const length = 20 + Math.floor(random() * 120);
    while (words.length < length) {
      const from = random() < 0.06 ? shown : WORDS;
      words.push(from[Math.floor(random() * from.length)] ?? '');
    }
    if (random() < 0.3) words.push(token);
    return words.join(' ');
  };
  const thoughtOf = (nonce: string) => (isSome(nonce, 'thinks') ? answerTo(`${nonce} as a thought`) : undefined);
  return {
    secrets,
    answerTo,
    thoughtOf,
    maskedThoughtOf(nonce) {
      const thought = thoughtOf(nonce);
      return thought === undefined ? '' : masker.mask(thought).text;
    },
    callOf: (nonce) =>
      isSome(nonce, 'calls')
        ? { id: `call_${nonce}`, name: 'look', arguments: JSON.stringify({ nonce, header: shown[2], url: shown[1] }) }
        : undefined,
    maskedAnswerTo(nonce) {
      const { text } = masker.mask(answerTo(nonce));
      if (fragmentsIn(text) > 0) throw new Error('masking shows a secret of the test');
      return text;
    },
    fragmentsIn,
  };
}

/** True of two nonces of five, always the same ones. */
function isSome(nonce: string, what: string): boolean {
  return (createHash('sha256').update(`${what} ${nonce}`).digest()[0] ?? 0) < 102;
}

function fragmentsOf(secret: string): string[] {
  const starts = Array.from({ length: Math.floor(secret.length / FRAGMENT_UNITS) }, (_, index) => index);
  return starts.map((index) => secret.slice(index * FRAGMENT_UNITS, (index + 1) * FRAGMENT_UNITS));
}
