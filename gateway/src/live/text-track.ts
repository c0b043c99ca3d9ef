import { isHighSurrogate } from '@lontar/shared/surrogates.ts';

/**
 * UTF-16 units that are handed on at once. JSON needs at most six bytes for each, so that no line of an event stream is
 * longer than 32 KiB.
 */
export const MOST_AT_ONCE = 5_000;
/** Units that are kept while those before them are looked for. */
const MOST_AHEAD = 32_768;

/** Where a track's text goes. */
export interface TextOutlet {
  /** Whether the reader can take more now. */
  hasRoom(): boolean;
  /** Takes what comes next: whole characters, at most `MOST_AT_ONCE` units. */
  write(text: string): void;
}

/**
 * One text of an answer on its way to one reader, put together by offsets: what was there before is left out, and nothing
 * behind a gap is handed on. What the reader has no room for, or what lies too far behind a gap, is not kept: it is missing
 * then, and is found again in the partial text or the stored result.
 */
export class TextTrack {
  /** Units handed on; the offset of what comes next. */
  at: number;
  /** The first half of a character whose other half is still to come: halves are not handed on. */
  private held = '';
  /** Where the furthest piece ends that is known of. */
  private known: number;
  /** What came behind a gap, without one of its own. */
  private ahead = '';
  private aheadFrom = 0;
  private readonly outlet: TextOutlet;

  constructor(from: number, outlet: TextOutlet) {
    this.at = from;
    this.known = from;
    this.outlet = outlet;
  }

  /** Whether text is missing that was written already. */
  get isBehind(): boolean {
    return this.known > this.received;
  }

  /** Takes a piece that begins at an offset, in whatever order, as often as it comes. */
  take(offset: number, piece: string): void {
    const end = offset + piece.length;
    if (end <= this.received) return;
    this.known = Math.max(this.known, end);
    if (!this.outlet.hasRoom()) return;
    if (offset > this.received) return this.keepAhead(offset, piece);
    this.handOn(piece, this.received - offset);
    if (this.ahead === '' || this.aheadFrom > this.received) return;
    const { ahead, aheadFrom } = this;
    this.ahead = '';
    this.handOn(ahead, this.received - aheadFrom);
  }

  /** The text is whole: half a character that has no other half is handed on as it is. */
  end(): void {
    if (this.held === '' || this.isBehind || !this.outlet.hasRoom()) return;
    const { held } = this;
    this.held = '';
    this.at++;
    this.outlet.write(held);
  }

  /** Whether all of a text of so many units has been handed on. */
  hasAll(length: number): boolean {
    return this.at >= length;
  }

  private get received(): number {
    return this.at + this.held.length;
  }

  private handOn(piece: string, from: number): void {
    for (let next = from; next < piece.length && this.outlet.hasRoom(); ) {
      const end = Math.min(piece.length, next + MOST_AT_ONCE - this.held.length);
      const text = this.held + piece.slice(next, end);
      next = end;
      const isCut = isHighSurrogate(text.charCodeAt(text.length - 1));
      this.held = isCut ? text.slice(-1) : '';
      const whole = isCut ? text.slice(0, -1) : text;
      if (whole === '') continue;
      this.at += whole.length;
      this.outlet.write(whole);
    }
  }

  private keepAhead(offset: number, piece: string): void {
    const end = this.aheadFrom + this.ahead.length;
    if (this.ahead === '' || offset > end) {
      this.aheadFrom = offset;
      this.ahead = piece;
    } else if (offset >= this.aheadFrom) this.ahead += piece.slice(end - offset);
    if (this.ahead.length > MOST_AHEAD) this.ahead = '';
  }
}
