import type { IncomingMessage } from 'node:http';
import type { BodyShare, TooMuch } from './body-budget.ts';
import { isInTinyChunks } from './chunked-requests.ts';

const FIRST_BYTES = 16 * 1024;
const NOTHING = Buffer.alloc(0);
const ignore = (): void => undefined;

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
 * @returns with bytes that are good until the share is closed
 */
export function readBody(request: IncomingMessage, share: BodyShare, most: number): Promise<BodyReading> {
  return new Promise((resolve) => {
    let bytes: Buffer = NOTHING;
    let length = 0;
    const take = (piece: Buffer): void => {
      // Refused meanwhile: the bytes belong to another body by now.
      if (share.isClosed) return end({ kind: 'cut_off' });
      const needed = length + piece.length;
      if (needed > most) return end({ kind: 'too_large' });
      if (needed > bytes.length) {
        const larger = share.enlarge(Math.min(most, sizeFor(needed)));
        if (typeof larger === 'string') return end({ kind: 'too_much', of: larger });
        bytes = larger;
      }
      piece.copy(bytes, length);
      length = needed;
    };
    const finish = (): void =>
      end(isInTinyChunks(request) ? { kind: 'tiny_chunks' } : { kind: 'whole', bytes: bytes.subarray(0, length) });
    const breakOff = (): void => end({ kind: 'cut_off' });
    const end = (reading: BodyReading): void => {
      request.off('data', take).off('end', finish).off('close', breakOff).off('error', breakOff).on('error', ignore);
      // Also what Node has buffered must go.
      request.resume();
      resolve(reading);
      // A listener that is left may keep this as long as the connection is open.
      bytes = NOTHING;
    };
    request.on('data', take).once('end', finish).once('close', breakOff).once('error', breakOff);
  });
}

/**
 * The body of a request that came in one piece with its head, as most that are short do: nothing has to be listened for.
 *
 * @param length what its head says, bytes
 * @returns bytes that are good until the share is closed; `undefined` where it is still on its way, or the share cannot hold it
 */
export function takeArrived(request: IncomingMessage, share: BodyShare, length: number): Buffer | undefined {
  if (length === 0 || request.readableLength !== length || share.grow(length) !== undefined) return undefined;
  const bytes: unknown = request.read(length);
  // Node ends a request's stream only when it is read on.
  request.resume();
  return Buffer.isBuffer(bytes) ? bytes : undefined;
}

/** Few sizes, so that buffers fit the next body: each twice the one before. */
function sizeFor(bytes: number): number {
  let size = FIRST_BYTES;
  while (size < bytes) size *= 2;
  return size;
}
