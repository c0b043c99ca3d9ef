import type { AnchorIndex } from './anchor-index.ts';
import { ALNUM, isHighSurrogate, isIn } from './characters.ts';
import type { CompiledRules } from './compile-rules.ts';
import { type Anchor, type Finding, type Label, MARKERS } from './finding.ts';
import { LEFT_CONTEXT, type Scratch, TextWindow } from './text-window.ts';
import { MaskingBudgetExceeded, MOST_DEBT, STEPS_PER_CHARACTER, STEPS_PER_QUESTION } from './work-budget.ts';

export interface MaskSpan {
  readonly type: keyof typeof MARKERS;
  readonly rule: string;
  /** Where the rule comes from: a page, a standard, a manual or a setting. */
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

/** A finding and the rule it is reported as. */
interface Found extends Finding {
  readonly rule: Label;
}

interface PendingSpan {
  rule: Label;
  start: number;
  end: number;
}

/**
 * The masking machine. Text goes in by `feed`, masked text comes out; a whole text is one final feed, a stream is many.
 * What it keeps between feeds is the spans not yet written and the text they lie in.
 */
export class MaskMachine {
  readonly spans: MaskSpan[] = [];
  private readonly index: AnchorIndex;
  private readonly window: TextWindow;
  private text = '';
  private position = 0;
  /** Text before this index has been written. */
  private written = 0;
  private writtenLength = 0;
  private pending: PendingSpan[] = [];
  /** Findings that begin further on than the scan has come, nearest first. */
  private ahead: Found[] = [];
  /** The alphabet of a masked run that is still going on, or 0. */
  private open = 0;
  /** A starved verifier is called again when the text has reached this length, so that waiting stays linear. */
  private retryAt = 0;

  /** Text before this index has paid for the work that was done. */
  private paidUntil = 0;
  private workPaid = 0;

  private readonly reporting: boolean;

  /** `reporting` collects the spans; a stream does not, so that its memory stays bounded. */
  constructor({ index, judgeHost }: CompiledRules, scratch: Scratch, reporting: boolean) {
    this.window = new TextWindow(scratch, judgeHost);
    this.index = index;
    this.reporting = reporting;
  }

  /** Takes the next piece of text and returns what can be said for certain; everything that is left when `final`. */
  feed(chunk: string, final: boolean): string {
    this.text = this.text === '' ? chunk : this.text + chunk;
    if (!final && this.text.length < this.retryAt) return '';
    this.window.show(this.text, final);
    this.extendOpenRun();
    const starved = this.scan();
    const output = this.write(final ? this.text.length : this.safeCut());
    if (final) return output;
    this.retryAt = 0;
    this.forget();
    if (starved) this.retryAt = this.text.length + ((this.text.length - this.position) >> 3);
    return output;
  }

  /** Looks for anchors to the end of the text; true when a verifier has to wait for more. */
  private scan(): boolean {
    for (;;) {
      const ahead = this.ahead[0];
      const stop = ahead === undefined ? this.text.length : Math.min(ahead.start, this.text.length);
      if (this.scanTo(stop)) return true;
      if (ahead === undefined || this.position < ahead.start) {
        if (this.position >= this.text.length) return false;
        continue;
      }
      this.ahead.shift();
      this.commitAhead(ahead);
    }
  }

  /** Looks for anchors up to `stop`; true when a verifier has to wait. Ends early when a finding further on was made. */
  private scanTo(stop: number): boolean {
    const { index, window } = this;
    const waiting = this.ahead.length;
    while (this.position < stop) {
      const end = index.next(window.codes, this.position, stop, window.table.columns.length > 0);
      if (end > stop) {
        this.position = stop;
        return false;
      }
      if (!this.verify(end)) {
        this.position = end - 1;
        return true;
      }
      this.position = end;
      if (this.ahead.length !== waiting) return false;
    }
    return false;
  }

  /** A finding further on is reached: it is taken unless what was found on the way reaches into it. */
  private commitAhead(finding: Found): void {
    const start = Math.max(finding.start, this.window.floor);
    if (start < finding.end) this.take({ ...finding, start });
  }

  /** Calls the verifiers of the anchors that end at `end`; false when one of them is starved. */
  private verify(end: number): boolean {
    const { index, window } = this;
    const fourth = index.fourthBefore(window.codes, end);
    this.payFor(end);
    for (const literal of index.candidates()) {
      window.steps++;
      if (((literal.fourths >>> fourth) & 1) === 0 || !index.endsWith(literal, window.codes, end)) continue;
      const called = this.call(literal.anchors, end - literal.length, end);
      if (called !== 'none') return called === 'found';
    }
    return true;
  }

  /** The work done so far, in steps: looks at one character. */
  get work(): number {
    return this.workPaid + this.window.steps;
  }

  /** The text up to `end` pays for the work that was done; what is too much is refused by `call`. */
  private payFor(end: number): void {
    const paid = Math.min(this.window.steps, STEPS_PER_CHARACTER * (end - this.paidUntil));
    this.window.steps -= paid;
    this.workPaid += paid;
    this.paidUntil = end;
  }

  private call(anchors: readonly Anchor[], start: number, end: number): 'none' | 'found' | 'starved' {
    const { window } = this;
    for (const anchor of anchors) {
      if (start < window.floor && anchor.known !== true) continue;
      if (anchor.insideTable === true && window.table.columns.length === 0) continue;
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
      if (finding !== undefined && this.accept({ rule: anchor.rule, ...finding }, end, anchor.known === true))
        return 'found';
    }
    return 'none';
  }

  private accept(finding: Found, anchorEnd: number, known: boolean): boolean {
    if (finding.start < this.window.floor && !known) return false;
    if (finding.start > anchorEnd) {
      // The way to the finding is still to be read: an address may stand between `curl` and its password.
      this.ahead.push(finding);
      for (const other of finding.also ?? []) this.ahead.push({ rule: finding.rule, ...other });
      this.ahead.sort((a, b) => a.start - b.start);
      return true;
    }
    if (!known) {
      this.take(finding);
      return true;
    }
    const span = { rule: finding.rule, start: finding.start, end: finding.end };
    this.absorb(span);
    this.take({ ...finding, ...span }, span.rule === finding.rule);
    return true;
  }

  /** `exact`: a configured value, of which it is known where it ends. */
  private take(finding: Found, exact = false): void {
    const { rule, start, end } = finding;
    this.pending.push({ rule, start, end });
    this.window.floor = Math.max(this.window.floor, end);
    this.open = finding.open ?? (!exact && this.endsInsideWord(finding) ? ALNUM : 0);
    this.extendOpenRun();
  }

  /** A configured value overlaps what is already masked: both become one span, named by what begins first. */
  private absorb(span: PendingSpan): void {
    for (let last = this.pending.at(-1); last !== undefined && last.end > span.start; last = this.pending.at(-1)) {
      this.pending.pop();
      span.end = Math.max(span.end, last.end);
      if (last.start > span.start) continue;
      span.start = last.start;
      span.rule = last.rule;
    }
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
    const last = this.pending.at(-1);
    if (last !== undefined) last.end = end;
  }

  /** The index before which no later finding can begin. */
  private safeCut(): number {
    const { index, window } = this;
    const inAnchor = this.position - index.beginningBefore(window.codes, this.position);
    const cut = Math.max(this.written, window.unbrokenBefore(inAnchor));
    const code = cut > 0 ? window.code(cut - 1) : 0;
    return isHighSurrogate(code) && cut - 1 >= this.written ? cut - 1 : cut;
  }

  /** Writes everything before `cut`: text as it is, a span as its marker as soon as its beginning is certain. */
  private write(cut: number): string {
    const { text } = this;
    if (this.pending.length === 0 && this.written === 0 && cut === text.length) {
      this.written = cut;
      this.writtenLength += cut;
      return text;
    }
    let output = '';
    let kept = 0;
    for (const span of this.pending) {
      if (span.start >= cut && span.end > this.written) break;
      if (span.start >= this.written) {
        output += text.slice(this.written, span.start);
        const marker = span.rule.type === 'marker' ? text.slice(span.start, span.end) : MARKERS[span.rule.type];
        this.report(span, this.writtenLength + output.length, marker.length);
        output += marker;
      }
      this.written = Math.max(this.written, span.end);
      kept++;
    }
    // The last written span stays: an open run or a configured value may still extend it.
    this.pending = this.pending.slice(Math.max(0, kept - 1));
    if (this.written < cut) {
      output += text.slice(this.written, cut);
      this.written = cut;
    }
    this.writtenLength += output.length;
    return output;
  }

  private report({ rule: { name, type, source } }: PendingSpan, start: number, length: number): void {
    if (this.reporting && type !== 'marker') this.spans.push({ type, rule: name, source, start, end: start + length });
  }

  /** Drops text that nothing can refer to any more. */
  private forget(): void {
    const keep = Math.min(this.written, this.position, this.text.length) - LEFT_CONTEXT - 64;
    if (keep < 4 * LEFT_CONTEXT) return;
    this.text = this.text.slice(keep);
    this.position -= keep;
    this.paidUntil -= keep;
    this.written -= keep;
    this.window.forget(keep);
    this.ahead = this.ahead.map((finding) => ({ ...finding, start: finding.start - keep, end: finding.end - keep }));
    for (const span of this.pending) {
      span.start -= keep;
      span.end -= keep;
    }
  }
}
