import type { Readable } from 'node:stream';

/** Where contents of uploads are kept. Metadata is not here but in Redis; an id without metadata is nothing. */
export interface UploadStorage {
  /** `disk` or `s3`, for the log. */
  readonly kind: 'disk' | 's3';
  /**
   * Keeps a content under an id that was never used. It is there whole, safe from a crash, or not at all.
   *
   * @param signal stops it; nothing is kept then
   * @throws whatever the source or the storage throws; nothing is kept then
   */
  write(id: string, content: Readable, signal: AbortSignal): Promise<void>;
  /** @returns the content as a stream, or `undefined` where there is none */
  read(id: string): Promise<Readable | undefined>;
  /** Removes a content, and what a crash has left of its writing. Nothing there is fine. */
  remove(id: string): Promise<void>;
  /** Removes what has been half-written for so long that no process can be writing it any more. */
  removeLeftovers(): Promise<void>;
}
