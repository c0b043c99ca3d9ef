import { type Label, MARKERS, type MaskType } from './finding.ts';
import type { MachinePolicy } from './policy.ts';
import type { Repeated } from './repetition.ts';
import { CONFIGURED_HOST } from './rules/configured.ts';

export interface MaskSpan {
  readonly type: keyof typeof MARKERS;
  readonly rule: string;
  /** Where the rule comes from: a page, a standard, a manual or a setting. */
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

/** What is masked of the text, in positions of the text that is held. */
export interface PendingSpan {
  rule: Label;
  start: number;
  end: number;
  /** It holds a configured value, which no policy leaves as it is. */
  readonly known: boolean;
}

/** Writes the masked text: text as it is, and a marker in the place of each span, or what the policy keeps of it. */
export class SpanWriter {
  readonly spans: MaskSpan[] = [];
  /** How many values have been masked so far. */
  readonly counts: Record<MaskType, number> = { url: 0, key: 0, ip: 0, connection: 0 };
  /** Text before this index has been written. */
  written = 0;
  private writtenLength = 0;
  private pending: PendingSpan[] = [];
  /** How many spans there have been. */
  count = 0;

  private readonly reporting: boolean;
  private readonly policy: MachinePolicy | undefined;

  constructor(reporting: boolean, policy: MachinePolicy | undefined) {
    this.reporting = reporting;
    this.policy = policy;
  }

  add(span: PendingSpan): void {
    this.pending.push(span);
    this.count++;
  }

  /** Takes the last spans again, a unit further on each time; false where they are no longer held. */
  repeat({ unit, times, spans }: Repeated): boolean {
    if (spans > this.pending.length) return false;
    const ofUnit = spans > 0 ? this.pending.slice(-spans) : [];
    for (let time = 1; time <= times; time++)
      for (const { rule, start, end, known } of ofUnit)
        this.add({ rule, start: start + time * unit, end: end + time * unit, known });
    return true;
  }

  /** The last span goes on to `end`. */
  extend(end: number): void {
    const last = this.pending.at(-1);
    if (last !== undefined) last.end = end;
  }

  /** A configured value overlaps what is already masked: both become one span, named by what begins first. */
  absorb(span: PendingSpan): void {
    for (let last = this.pending.at(-1); last !== undefined && last.end > span.start; last = this.pending.at(-1)) {
      this.pending.pop();
      span.end = Math.max(span.end, last.end);
      if (last.start > span.start) continue;
      span.start = last.start;
      span.rule = last.rule;
    }
  }

  /**
   * The index, at most `cut`, before which no value may still turn out to be one that the policy keeps.
   *
   * @param cut no later finding can begin before it
   * @param open whether the last span still goes on
   */
  decidedBefore(cut: number, open: boolean): number {
    const { pending } = this;
    if (this.policy === undefined || this.policy.longest === 0) return cut;
    for (const span of pending) {
      if (span.start >= cut) break;
      if (span.start < this.written || !this.isKeepable(span)) continue;
      // What begins with the character behind it may still take in its last one.
      if (span.end >= cut || (open && span === pending.at(-1))) return span.start;
    }
    return cut;
  }

  /** Writes everything before `cut`: text as it is, a span's marker as soon as its beginning is certain. */
  write(text: string, cut: number): string {
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
        output += this.show(span, text, this.writtenLength + output.length);
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

  /** The first `count` characters of the text were dropped. */
  forget(count: number): void {
    this.written -= count;
    for (const span of this.pending) {
      span.start -= count;
      span.end -= count;
    }
  }

  private isKeepable({ rule, start, end, known }: PendingSpan): boolean {
    if (known || rule === CONFIGURED_HOST || rule.type === 'marker') return false;
    return end - start <= (this.policy?.longest ?? 0);
  }

  /** What is written of a span, whose marker begins at `start` of the masked text. */
  private show(span: PendingSpan, text: string, start: number): string {
    const { name, type, source } = span.rule;
    const value = () => text.slice(span.start, span.end);
    if (type === 'marker') return value();
    if (this.isKeepable(span) && this.policy?.keeps(value())) return value();
    const marker = MARKERS[type];
    this.counts[type]++;
    if (this.reporting) this.spans.push({ type, rule: name, source, start, end: start + marker.length });
    return marker;
  }
}
