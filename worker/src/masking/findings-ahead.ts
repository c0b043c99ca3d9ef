import type { Found } from './policy.ts';

/** More of them are not compared. */
const MOST_COMPARED = 32;

/** Findings that begin further on than the scan has come: on the way to them others may be found. Nearest first, each once. */
export class FindingsAhead {
  private findings: Found[] = [];

  get count(): number {
    return this.findings.length;
  }

  get nearest(): Found | undefined {
    return this.findings[0];
  }

  /** Of two that are the same the first counts: several commands find what stands behind the last of them. */
  add(finding: Found): void {
    const { start, end } = finding;
    if (this.findings.some((other) => other.start === start && other.end === end)) return;
    const next = this.findings.findIndex((other) => other.start > start);
    this.findings.splice(next < 0 ? this.findings.length : next, 0, finding);
  }

  takeNearest(): Found | undefined {
    return this.findings.shift();
  }

  /** So many characters were put before them; below zero, taken away. */
  move(characters: number): void {
    if (this.findings.length > 0) this.findings = movedBy(this.findings, characters);
  }

  /** As they lie to `place`; undefined where they are too many to be compared. */
  seenFrom(place: number): readonly Found[] | undefined {
    if (this.findings.length === 0) return NONE;
    return this.findings.length > MOST_COMPARED ? undefined : movedBy(this.findings, -place);
  }
}

const NONE: readonly Found[] = [];

function movedBy(findings: readonly Found[], characters: number): Found[] {
  return findings.map((finding) => {
    const { rule, start, end, open } = finding;
    return { rule, start: start + characters, end: end + characters, ...(open !== undefined && { open }) };
  });
}

/** Whether the same findings lie ahead of two places, at the same distance. */
export function areSameAhead(some: readonly Found[], others: readonly Found[]): boolean {
  if (some === others) return true;
  return (
    some.length === others.length &&
    some.every(({ rule, start, end, open }, index) => {
      const other = others[index];
      return other?.rule === rule && other.start === start && other.end === end && other.open === open;
    })
  );
}
