import type { IncomingMessage } from 'node:http';
import type { BodyShare, TooMuch } from './body-budget.ts';
import { isInTinyChunks } from './chunked-requests.ts';

const FIRST_BYTES = 16 * 1024;
/** A body that was read, or why it was not. */
export type BodyReading =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' | 'tiny_chunks' | 'cut_off' }
  | { readonly kind: 'too_much'; readonly of: TooMuch };

/**
 * Reads a request's body into one buffer that grows with it, within its share of the budget. Once that has ended, by
 * whatever cause, what still comes is thrown away.
 *
 * @param most the longest body, bytes
 */
export function readBody(request: IncomingMessage, share: BodyShare, most: number): Promise<BodyReading> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    let length = 0;
    const take = (piece: Buffer): void => {
      const needed = length + piece.length;
      if (needed > most) return end({ kind: 'too_large' });
      if (needed > bytes.length) {
        const larger = Math.min(most, Math.max(needed, FIRST_BYTES, 2 * bytes.length));
        const of = share.grow(larger - bytes.length);
        if (of) return end({ kind: 'too_much', of });
        const grown = Buffer.allocUnsafeSlow(larger);
        bytes.copy(grown, 0, 0, length);
        bytes = grown;
      }
      piece.copy(bytes, length);
      length = needed;
    };
    const finish = (): void =>
      end(isInTinyChunks(request) ? { kind: 'tiny_chunks' } : { kind: 'whole', bytes: bytes.subarray(0, length) });
    const breakOff = (): void => end({ kind: 'cut_off' });
    const end = (reading: BodyReading): void => {
      request.off('data', take).off('end', finish).off('close', breakOff);
      // Also what Node has buffered must go.
      request.resume();
      resolve(reading);
    };
    request.on('data', take).once('end', finish).once('close', breakOff).once('error', breakOff);
  });
}
