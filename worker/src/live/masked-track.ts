import { GrowingText } from '@lontar/shared/growing-text.ts';
import { addCounts, noCounts } from '../mask-tool-call.ts';
import { type Masker, type MaskPieces, SLICE } from '../masking/mask.ts';

/** A track is closed where another one goes on, if it is no longer than this, and not more often than that. */
const LONGEST_REOPENED = 65_536;
const MOST_CLOSINGS = 8;

/** What was shown of a track turned out to be part of a secret that went on after another track's text. */
export class SecretShown extends Error {
  override readonly name = 'SecretShown';

  constructor() {
    // Nothing of the text may be in it.
    super('a secret was cut by another track');
  }
}

/**
 * One track of an answer that is masked as it comes: what it gives, joined, is what the whole text masked would be.
 *
 * Where another track goes on, what was withheld of this one is given: a reader must not get the end of the reasoning
 * after the answer. If this track goes on all the same, the whole is masked anew, and has to begin with what was given;
 * else it ends with an error, and so does the answer.
 */
export class MaskedTrack {
  private readonly masker: Masker;
  private pieces: MaskPieces | undefined;
  /** All that came, as long as it is short enough to be masked anew. */
  private readonly raw = new GrowingText();
  private readonly given = new GrowingText();
  private isClosed = false;
  private closings = 0;
  /** What was given before, and has to be given again by the new masking. */
  private owed = '';

  constructor(masker: Masker) {
    this.masker = masker;
  }

  /** Makes what masks it before the first piece comes. */
  prepare(): MaskPieces {
    this.pieces ??= this.masker.createPieces();
    return this.pieces;
  }

  /** What was given, joined: well-formed Unicode. */
  get text(): string {
    return String(this.given);
  }

  /** Of the text, UTF-16 units. */
  get length(): number {
    return this.given.length;
  }

  /**
   * Takes the next piece, SLICE characters at most, and returns what can be shown.
   *
   * @throws SecretShown; what masking throws
   */
  push(piece: string): string {
    const output = (this.isClosed ? this.reopen() : '') + this.give(this.prepare().push(piece));
    if (this.raw.length <= LONGEST_REOPENED) this.raw.append(piece);
    return output;
  }

  /** Another track goes on, and this one need not: returns what was withheld. @throws as `push` */
  pause(): string {
    if (this.isClosed || this.raw.length === 0 || this.raw.length > LONGEST_REOPENED) return '';
    if (this.closings >= MOST_CLOSINGS) return '';
    this.closings++;
    return this.end();
  }

  /** Nothing comes any more: returns what was withheld. @throws as `push` */
  end(): string {
    if (this.isClosed) return '';
    this.isClosed = true;
    const output = this.give(this.pieces?.end() ?? '');
    if (this.owed !== '') throw new SecretShown();
    return output;
  }

  /** How many values were masked in what was given. */
  get counts() {
    const counts = noCounts();
    if (this.pieces) addCounts(counts, this.pieces.counts);
    return counts;
  }

  private reopen(): string {
    this.isClosed = false;
    this.owed = this.text;
    const pieces = this.masker.createPieces();
    this.pieces = pieces;
    const raw = String(this.raw);
    let output = '';
    for (let from = 0; from < raw.length; from += SLICE) {
      output += this.give(pieces.push(raw.slice(from, from + SLICE)));
    }
    return output;
  }

  private give(masked: string): string {
    const output = masked.toWellFormed();
    const again = Math.min(output.length, this.owed.length);
    if (output.slice(0, again) !== this.owed.slice(0, again)) throw new SecretShown();
    this.owed = this.owed.slice(again);
    const fresh = output.slice(again);
    this.given.append(fresh);
    return fresh;
  }
}
