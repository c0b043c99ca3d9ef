import type { IncomingMessage } from 'node:http';
import { holdYoungGeneration } from '@lontar/shared/patches/young-generation.ts';
import { announcesBody, takesBody } from '../envelope/announces-body.ts';

/** The longest body of a request for the page: a sign-in. */
export const MOST_BODY_BYTES = 4_096;
/** How long such a body may take to arrive, ms. */
const BODY_MS = 5_000;
/** Bodies that are being read, of one address and in all. */
const MOST_READING_PER_ADDRESS = 16;
const MOST_READING = 256;

export type SmallBody =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  /** `gone`: its sender has left. */
  | { readonly kind: 'too_large' | 'too_slow' | 'gone' };

/** Reads the bodies of requests for stats-service, so that no connection to that waits for a sender. */
export interface SmallBodies {
  /**
   * @param address the form that limits are counted by
   * @returns the whole body, or why there is none; never rejects. Where too many are being read, the one that has taken
   *   the longest gives way as `too_slow`: a browser's sign-in is here in one piece, so that slow ones keep no operator out
   */
  read(request: IncomingMessage, address: string): Promise<SmallBody>;
}

interface Reading {
  readonly address: string;
  end(body: SmallBody): void;
}

/** @param bounds.bodyMs another time only in tests */
export function createSmallBodies({
  bodyMs = BODY_MS,
  mostBytes = MOST_BODY_BYTES,
}: {
  readonly bodyMs?: number;
  readonly mostBytes?: number;
} = {}): SmallBodies {
  /** The one that has taken the longest comes first. */
  const readings = new Set<Reading>();
  const makeRoom = (address: string) => {
    const ofAddress = [...readings].filter((reading) => reading.address === address);
    const [longest] = ofAddress.length >= MOST_READING_PER_ADDRESS ? ofAddress : readings;
    if (longest === undefined) return;
    if (ofAddress.length >= MOST_READING_PER_ADDRESS || readings.size >= MOST_READING) {
      // Nothing that such senders bring about is worth memory.
      holdYoungGeneration();
      longest.end({ kind: 'too_slow' });
    }
  };
  return {
    read(request, address) {
      // Of other methods it is no part of the request, and thrown away as it comes (hold-body.ts).
      if (!takesBody(request.method) || !announcesBody(request.headers)) {
        return Promise.resolve({ kind: 'whole', bytes: Buffer.alloc(0) });
      }
      if (Number(request.headers['content-length'] ?? 0) > mostBytes) {
        return Promise.resolve({ kind: 'too_large' });
      }
      makeRoom(address);
      return readWhole(request, address, readings, { bodyMs, mostBytes });
    },
  };
}

function readWhole(
  request: IncomingMessage,
  address: string,
  readings: Set<Reading>,
  { bodyMs, mostBytes }: { readonly bodyMs: number; readonly mostBytes: number },
): Promise<SmallBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (body: SmallBody) => {
      clearTimeout(timer);
      readings.delete(reading);
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      // What still comes of it is of no interest; an error of the connection must find a listener.
      if (body.kind !== 'whole') request.on('error', () => undefined).pause();
      resolve(body);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostBytes) return end({ kind: 'too_large' });
      chunks.push(chunk);
    };
    const onEnd = () => end({ kind: 'whole', bytes: Buffer.concat(chunks) });
    const onGone = () => end({ kind: 'gone' });
    const reading: Reading = { address, end };
    const timer = setTimeout(end, bodyMs, { kind: 'too_slow' } satisfies SmallBody).unref();
    readings.add(reading);
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  });
}
