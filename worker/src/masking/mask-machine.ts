import { type AnchorIndex, MOST_SIFTED, type Place } from './anchor-index.ts';
import { ALNUM, isHighSurrogate, isIn } from './characters.ts';
import type { CompiledRules } from './compile-rules.ts';
import type { Anchor, MaskType } from './finding.ts';
import { FindingsAhead } from './findings-ahead.ts';
import { Opening } from './opening-word.ts';
import type { Found, MachinePolicy } from './policy.ts';
import { type Repeats, Repetition } from './repetition.ts';
import { type MaskSpan, SpanWriter } from './span-writer.ts';
import { LEFT_CONTEXT, REACH_OF_NAME, type Scratch, TextWindow } from './text-window.ts';
import { MaskingBudgetExceeded, MOST_DEBT, Payment, STEPS_PER_QUESTION } from './work-budget.ts';

/** Stands for the anchor where a finding that was made further back is reached. */
const AHEAD = -2;
/** Characters that are sifted at once where what was sifted has just become of no use. */
const LEAST_SIFTED = 512;

/**
 * The masking machine. Text goes in by `feed`, masked text comes out; a whole text is one final feed, a stream is many.
 * What it keeps between feeds is the spans not yet written and the text they lie in.
 */
export class MaskMachine {
  private readonly index: AnchorIndex;
  private readonly window: TextWindow;
  private text = '';
  /** How many characters have been dropped before it. */
  private dropped = 0;
  private position = 0;
  private readonly ahead = new FindingsAhead();
  /** The alphabet of a masked run that is still going on, or 0. */
  private open = 0;
  /** A starved verifier is called again when the text has reached this length, so that waiting stays linear. */
  private retryAt = 0;

  private readonly payment = new Payment();
  private readonly opening: Opening;
  private readonly policy: MachinePolicy | undefined;
  private readonly writer: SpanWriter;
  private readonly repetition: Repeats;
  /** The text of the anchor that was met last, by its number. */
  private met = -1;

  /**
   * `reporting` collects the spans; a stream does not, so that its memory stays bounded. Without a policy everything is
   * masked.
   */
  constructor(
    { index, judgeHost, findOpening }: CompiledRules,
    scratch: Scratch,
    reporting: boolean,
    policy?: MachinePolicy,
    repetition: Repeats = new Repetition(),
  ) {
    this.repetition = repetition;
    this.window = new TextWindow(scratch, judgeHost);
    this.index = index;
    this.policy = policy;
    // A value that may have to stay as it is must be seen whole.
    this.opening = new Opening(policy === undefined || policy.longest === 0 ? findOpening : undefined);
    this.writer = new SpanWriter(reporting, policy);
  }

  /** What was masked so far, where that is collected, in positions of the masked text. */
  get spans(): readonly MaskSpan[] {
    return this.writer.spans;
  }

  /** How many values have been masked so far. */
  get counts(): Readonly<Record<MaskType, number>> {
    return this.writer.counts;
  }

  /** Takes the next piece of text and returns what can be said for certain; everything that is left when `final`. */
  feed(chunk: string, final: boolean): string {
    return this.show(this.text === '' ? chunk : this.text + chunk, final);
  }

  /** As `feed` with what of `whole` stands before `end` and has not been fed. It copies nothing. All feeds are then of one `whole`. */
  feedUntil(whole: string, end: number): string {
    return this.show(whole.slice(this.dropped, end), end >= whole.length);
  }

  private show(text: string, final: boolean): string {
    this.text = text;
    if (!final && text.length < this.retryAt) return '';
    this.window.show(text, final);
    this.opening.seek(text, final);
    this.extendOpenRun();
    const starved = this.scan();
    if (final) return this.writer.write(text, text.length);
    const output = this.writer.write(text, this.writer.decidedBefore(this.safeCut(), this.open !== 0));
    this.forget();
    this.retryAt = starved ? this.text.length + ((this.text.length - this.position) >> 3) : 0;
    return output;
  }

  /** Looks for anchors to the end of the text; true when a verifier has to wait for more. */
  private scan(): boolean {
    for (;;) {
      const ahead = this.ahead.nearest;
      const stop = ahead === undefined ? this.text.length : Math.min(ahead.start, this.text.length);
      if (this.scanTo(stop)) return true;
      if (ahead === undefined || this.position < ahead.start) {
        if (this.position >= this.text.length) return false;
        continue;
      }
      this.ahead.takeNearest();
      this.commitAhead(ahead);
      this.met = AHEAD;
      this.stepOverRepeated(this.text.length);
    }
  }

  /** Looks for anchors up to `stop`; true when a verifier has to wait. Ends early when a finding further on was made. */
  private scanTo(stop: number): boolean {
    const { index, window } = this;
    const waiting = this.ahead.count;
    let sieve = index.sieveFor(this.place());
    let most = LEAST_SIFTED;
    while (this.position < stop) {
      const to = Math.min(stop, this.position + most);
      const wide = index.widerThan(sieve);
      const { floor } = window;
      const count = index.sift(window.codes, this.position, to, wide, floor);
      let isStale = false;
      for (let next = 0; next < count && !isStale; next++) {
        const end = index.endOf(next);
        if (sieve !== wide && !index.passes(window.codes, end, sieve)) continue;
        const isDone = this.verify(next, end);
        this.position = isDone ? end : end - 1;
        if (!isDone) return true;
        if (this.ahead.count !== waiting) return false;
        if (this.met >= 0 && waiting === 0) this.stepOverRepeated(stop);
        // In another place other anchors mean something.
        sieve = index.sieveFor(this.place());
        isStale =
          index.widerThan(sieve) !== wide || this.position !== end || (window.floor !== floor && window.hasCutWord());
      }
      if (!isStale) this.position = to;
      most = isStale ? LEAST_SIFTED : MOST_SIFTED;
    }
    return false;
  }

  private place(): Place {
    const { window } = this;
    if (window.table.columns.length > 0) return 'table';
    return this.position - window.lastNamed < REACH_OF_NAME ? 'near' : 'anywhere';
  }

  /** Where the text repeats itself, what was masked in one unit is masked in all. */
  private stepOverRepeated(stop: number): void {
    const { window, repetition, writer } = this;
    const ahead = this.open === 0 ? this.ahead.seenFrom(this.position) : undefined;
    if (ahead === undefined) return;
    const repeated = repetition.met(window, this.met, this.position, stop, writer.count, ahead);
    if (repeated === undefined || !writer.repeat(repeated)) return;
    const { unit, times, spans } = repeated;
    // What the last unit has named or masked, each of them has.
    if (window.lastNamed >= this.position - unit) window.lastNamed += times * unit;
    this.position += times * unit;
    this.ahead.move(times * unit);
    if (spans > 0) window.floor += times * unit;
  }

  /** A finding further on is reached: it is taken unless what was found on the way reaches into it. */
  private commitAhead(finding: Found): void {
    const start = Math.max(finding.start, this.window.floor, this.opening.end);
    if (start < finding.end) this.take({ ...finding, start });
  }

  /** Calls the verifiers of the anchors that end at `end`, the place that was sifted so; false when one of them is starved. */
  private verify(place: number, end: number): boolean {
    const { index, window } = this;
    // What is too much is refused by `call`.
    window.steps = this.payment.pay(window.steps, end);
    this.met = -1;
    for (let found = index.foundAt(place); found >= 0; found = index.next(window.codes, place, found)) {
      const called = this.call(index.anchorsOf(found), end - index.lengthOf(found), end);
      this.met = index.literalOf(found);
      if (called !== 'none') return called === 'found';
    }
    return true;
  }

  /** The work done so far, in steps: looks at one character. */
  get work(): number {
    return this.payment.paid + this.window.steps;
  }

  private call(anchors: readonly Required<Anchor>[], start: number, end: number): 'none' | 'found' | 'starved' {
    const { window } = this;
    for (const anchor of anchors) {
      if (start < window.floor && !anchor.known) continue;
      if (anchor.insideTable && window.table.columns.length === 0) continue;
      const before = window.steps;
      const finding = anchor.verify(window, start, end, anchor.text);
      window.steps += STEPS_PER_QUESTION;
      if (window.steps > MOST_DEBT) throw new MaskingBudgetExceeded();
      if (window.starved) {
        window.starved = false;
        // Called again when there is more, and counted then: a stream is refused where the whole text is.
        window.steps = before;
        window.nextTable = undefined;
        return 'starved';
      }
      if (window.nextTable !== undefined) {
        window.table = window.nextTable;
        window.nextTable = undefined;
      }
      if (finding !== undefined && this.judge({ rule: anchor.rule, ...finding }, end, anchor.known)) return 'found';
    }
    return 'none';
  }

  /** Takes what the policy masks of a finding; false where that is nothing. */
  private judge(finding: Found, anchorEnd: number, known: boolean): boolean {
    const masked = known || this.policy === undefined ? finding : this.policy.masked(finding);
    return masked !== undefined && this.accept(masked, anchorEnd, known);
  }

  private accept(found: Found, anchorEnd: number, known: boolean): boolean {
    const finding = this.opening.behind(found);
    if (finding === undefined || (found.start < this.window.floor && !known)) return false;
    // Where the text repeats itself, the next of its kind is masked whole.
    if (finding !== found) this.repetition.clear();
    if (finding.start > anchorEnd) {
      // The way to the finding is still to be read: an address may stand between `curl` and its password.
      this.ahead.add(finding);
      for (const other of finding.also ?? []) this.ahead.add({ rule: finding.rule, ...other });
      return true;
    }
    if (!known) {
      this.take(finding);
      for (const other of finding.also ?? []) this.ahead.add({ rule: finding.rule, ...other });
      return true;
    }
    const span = { rule: finding.rule, start: finding.start, end: finding.end, known };
    this.repetition.clear();
    this.writer.absorb(span);
    this.take({ ...finding, ...span }, span.rule === finding.rule, known);
    return true;
  }

  /** `exact`: a configured value, of which it is known where it ends. */
  private take(finding: Found, exact = false, known = false): void {
    const { rule, start, end } = finding;
    this.writer.add({ rule, start, end, known });
    this.window.floor = Math.max(this.window.floor, end);
    // A configured value inside a run that still goes on does not end it.
    if (this.open === 0) this.open = finding.open ?? (!exact && this.endsInsideWord(finding) ? ALNUM : 0);
    this.extendOpenRun();
  }

  /** A verifier that stopped at its limit leaves no tail of a secret behind: the word is taken to its end. */
  private endsInsideWord({ rule: { type }, end }: Found): boolean {
    const { window } = this;
    if ((type !== 'key' && type !== 'connection') || !isIn(window.code(end - 1), ALNUM)) return false;
    return end < window.length ? isIn(window.code(end), ALNUM) : !window.final;
  }

  private extendOpenRun(): void {
    if (this.open === 0) return;
    const { window } = this;
    let end = window.floor;
    while (end < window.length && isIn(window.code(end), this.open)) end++;
    if (end < window.length || window.final) this.open = 0;
    window.floor = end;
    this.writer.extend(end);
  }

  /** The index before which no later finding can begin. */
  private safeCut(): number {
    const { index, window } = this;
    const inAnchor = this.position - index.beginningBefore(window.codes, this.position);
    const { written } = this.writer;
    const cut = Math.max(written, this.opening.end, window.unbrokenBefore(inAnchor));
    const code = cut > 0 ? window.code(cut - 1) : 0;
    return isHighSurrogate(code) && cut - 1 >= written ? cut - 1 : cut;
  }

  /** Drops text that nothing can refer to any more. */
  private forget(): void {
    const keep = Math.min(this.writer.written, this.position, this.text.length) - LEFT_CONTEXT - 64;
    if (keep < 4 * LEFT_CONTEXT) return;
    this.text = this.text.slice(keep);
    this.dropped += keep;
    this.position -= keep;
    this.opening.end = 0;
    this.payment.forget(keep);
    this.writer.forget(keep);
    this.window.forget(keep);
    this.repetition.forget(keep);
    this.ahead.move(-keep);
  }
}
