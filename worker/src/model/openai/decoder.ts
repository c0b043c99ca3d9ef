import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** What was decoded comes at once, and an end that is missing is left to the reader to judge, as browsers do. */
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };
const ZSTD = { flush: constants.ZSTD_e_flush, finishFlush: constants.ZSTD_e_flush };

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(ZLIB),
  'x-gzip': () => createGunzip(ZLIB),
  deflate: () => createInflate(ZLIB),
  br: () => createBrotliDecompress(BROTLI),
  zstd: () => createZstdDecompress(ZSTD),
};

/** Takes the bytes of a compressed response. */
export interface Decoder {
  /** @returns false where it has enough for now: `onDrain` is called when it wants more */
  write(chunk: Buffer): boolean;
  /** No more bytes come: `onEnd` is called when all are decoded. */
  end(): void;
  /** Calls nobody any more. */
  stop(): void;
}

export interface DecoderListener {
  readonly onData: (chunk: Buffer) => void;
  readonly onDrain: () => void;
  readonly onEnd: () => void;
  readonly onError: (error: Error) => void;
}

/**
 * What decodes a response that is compressed though it was asked not to be, as some proxies send it; undefined where it is
 * not, or in a way that nobody knows. It gives 16 KB at a time: a listener that has enough stops it.
 *
 * @param encoding the header `Content-Encoding`
 */
export function createDecoder(
  encoding: string | string[] | undefined,
  { onData, onDrain, onEnd, onError }: DecoderListener,
): Decoder | undefined {
  const name = String(encoding ?? '').toLowerCase();
  const transform = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined;
  if (transform === undefined) return undefined;
  transform.on('data', onData).on('drain', onDrain).on('end', onEnd).on('error', onError);
  return {
    write: (chunk) => transform.write(chunk),
    end: () => void transform.end(),
    stop() {
      transform.removeAllListeners('data').removeAllListeners('drain').removeAllListeners('end');
      transform.destroy();
    },
  };
}
