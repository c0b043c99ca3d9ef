import { hash } from 'node:crypto';
import type { Answered } from './settlement.ts';

/** How much of an answer's texts its partial texts hold, as its worker knows, UTF-8 bytes. */
export interface KeptText {
  readonly textBytes: number;
  readonly reasoningBytes: number;
}

/** Bytes of a text that Redis compares by their hash at most: it does nothing else meanwhile. */
const MOST_HASHED = 262_144;

export const NOTHING_KEPT: KeptText = { textBytes: 0, reasoningBytes: 0 };

/**
 * Says one text of an answer to the script that settles: how many of its bytes the partial text holds, their SHA-1, the
 * rest, and how long the whole is, UTF-16 units.
 */
function restOf(text: string, kept: number): [bytes: number, sha1: string, rest: string, units: number] {
  if (kept === 0 || kept > MOST_HASHED) return [0, '', text, text.length];
  const bytes = Buffer.from(text);
  return [kept, hash('sha1', bytes.subarray(0, kept)), bytes.toString('utf8', kept), text.length];
}

/** A streamed answer without what Redis has of it: the arguments of turn.lua, in their order. Never throws. */
export function writeRest(
  { text, reasoning = '', ...answered }: Answered,
  { textBytes, reasoningBytes }: KeptText,
): (string | number)[] {
  return [JSON.stringify(answered), ...restOf(text, textBytes), ...restOf(reasoning, reasoningBytes)];
}
