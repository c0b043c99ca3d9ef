import { isDigit, lowerCase } from './characters.ts';
import { ANY_DIGIT, type Anchor } from './finding.ts';

const DIGIT_CODE = ANY_DIGIT.charCodeAt(0);

/** The beginnings of all anchors, by a hash of their letters from the last to the first. Two that collide only hold back a little more. */
export class AnchorBeginnings {
  private readonly hashes = new Set<number>();
  private longest = 0;

  constructor(anchors: readonly Anchor[]) {
    for (const { text } of anchors) {
      this.longest = Math.max(this.longest, text.length - 1);
      for (let length = 1; length < text.length; length++) {
        let hash = 0;
        for (let index = length - 1; index >= 0; index--) hash = mixed(hash, text.charCodeAt(index));
        this.hashes.add(hash);
      }
    }
  }

  /** The length of the longest beginning of an anchor that ends at `end`. */
  lengthBefore(codes: Uint16Array, end: number): number {
    let hash = 0;
    let found = 0;
    const most = Math.min(end, this.longest);
    for (let length = 1; length <= most; length++) {
      const code = codes[end - length] ?? 0;
      hash = mixed(hash, lowerCase(code));
      if (this.hashes.has(hash)) found = length;
    }
    return found;
  }
}

/** Digits count as one character, as some anchors take any of them. */
function mixed(hash: number, code: number): number {
  return (Math.imul(hash, 0x01000193) ^ (isDigit(code) ? DIGIT_CODE : code)) | 0;
}
