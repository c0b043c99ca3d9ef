import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';

const LONG = 'as many characters as';

/**
 * Asks for a long stream and reads it.
 *
 * @returns what its answer is called
 * @throws when it is not answered
 */
export async function streamOf(url: string, key: string, length: number): Promise<string> {
  const messages = [{ role: 'user', content: `${LONG} ${length}` }];
  const response = await fetch(new URL('/v1/chat/completions', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'ai-2.5-flash', stream: true, messages }),
  });
  const name = /"id":"(chatcmpl-[^"]+)"/.exec(await response.text())?.[1];
  if (name === undefined) throw new Error(`the attacker's stream was answered ${response.status}`);
  return name;
}

/** What the model says to an attacker: as long as it was asked for, or for as long as it is let, or what it was told. */
export function answerToAttacker(words: string): FakeBehaviour {
  const length = words.startsWith(LONG) ? Number(words.slice(LONG.length)) : 0;
  if (length > 0) return { kind: 'answer', text: 'word '.repeat(length / 5), pieceLength: 4_000 };
  if (words === 'slowly') return { kind: 'answer', text: 'word '.repeat(200), pieceLength: 5, paceMs: 100 };
  return { kind: 'answer', text: words || 'An answer.' };
}
