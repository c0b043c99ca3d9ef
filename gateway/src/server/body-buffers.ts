/** What is kept for the next bodies, bytes. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024;

/** Memory that bodies are read into, used again and again: what is let go of would be here until V8 sees fit. */
export interface BodyBuffers {
  /** A buffer of exactly so many bytes. What they are is left over from another body. */
  take(bytes: number): Buffer;
  /** Takes it back; its user must not use it any more. */
  giveBack(buffer: Buffer): void;
}

export function createBodyBuffers(mostKeptBytes: number = MOST_KEPT_BYTES): BodyBuffers {
  const bySize = new Map<number, Buffer[]>();
  let kept = 0;
  return {
    take(bytes) {
      const buffer = bySize.get(bytes)?.pop();
      if (buffer === undefined) return Buffer.allocUnsafeSlow(bytes);
      kept -= bytes;
      return buffer;
    },
    giveBack(buffer) {
      const { length } = buffer;
      if (length === 0 || kept + length > mostKeptBytes) return;
      kept += length;
      const those = bySize.get(length);
      if (those) those.push(buffer);
      else bySize.set(length, [buffer]);
    },
  };
}
