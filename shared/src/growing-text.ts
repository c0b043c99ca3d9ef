/** Units from which on a part is added to no more. */
const PART_UNITS = 256;

/**
 * A text that comes in many small pieces, and is read as a whole now and then. `+=` would keep all the pieces, each with an
 * object that joins it to those before it: twenty times the memory of the text, for as long as nothing makes V8 join them.
 */
export class GrowingText {
  private parts: string[] = [];
  private lastPart = '';
  private unitsBefore = 0;

  /** UTF-16 units. */
  get length(): number {
    return this.unitsBefore + this.lastPart.length;
  }

  append(piece: string): void {
    this.lastPart = this.lastPart === '' ? piece : [this.lastPart, piece].join('');
    if (this.lastPart.length < PART_UNITS) return;
    this.unitsBefore += this.lastPart.length;
    this.parts.push(this.lastPart);
    this.lastPart = '';
  }

  /** All of it. Asked for again and again without growing, it costs nothing. */
  toString(): string {
    if (this.parts.length > 1) this.parts = [this.parts.join('')];
    const [before = ''] = this.parts;
    return before + this.lastPart;
  }
}
