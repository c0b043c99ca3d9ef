import { CODE } from './characters.ts';
import type { Memory } from './memory.ts';
import type { TextWindow } from './text-window.ts';

/** How far behind its program's name a command line is read, characters. */
export const LONGEST_COMMAND = 400;

/** Where the options of a line begin and where its command ends: read once for all commands that are named in it. */
class CommandLine {
  private from = 0;
  private until = 0;
  private isOver = true;
  private options: number[] = [];

  forget(): void {
    this.begin(0);
    this.isOver = true;
  }

  /** As far as the line was read. */
  get end(): number {
    return this.until;
  }

  /** The blank before the first option at or behind `from`, or `stop` where the command or the reach ends first. */
  optionFrom(window: TextWindow, from: number, stop: number): number {
    const isKnown = from >= this.from && (from < this.until || (from === this.until && !this.isOver));
    if (!isKnown || this.options.length > LONGEST_COMMAND) this.begin(from);
    const known = this.knownFrom(from);
    if (known >= 0) return Math.min(known, stop);
    for (; !this.isOver && this.until < stop; this.until++) {
      const code = window.at(this.until);
      if (endsCommand(window, this.until, code)) {
        // What was not there yet may still come.
        if (window.starved) return stop;
        this.isOver = true;
        break;
      }
      if (code !== CODE.space) continue;
      const next = window.at(this.until + 1);
      if (window.starved) return stop;
      if (next !== CODE.hyphen && next !== CODE.slash) continue;
      this.options.push(this.until);
      return this.until++;
    }
    return stop;
  }

  /** The first known option at or behind `from`, or -1. */
  private knownFrom(from: number): number {
    const { options } = this;
    let low = 0;
    for (let high = options.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((options[middle] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return options[low] ?? -1;
  }

  private begin(from: number): void {
    this.from = from;
    this.until = from;
    this.isOver = false;
    this.options = [];
  }
}

export const LINE: Memory<CommandLine> = { begin: () => new CommandLine(), forget: (line) => line.forget() };

/** Whether the command is over at `index`, where `code` stands. */
export function endsCommand(window: TextWindow, index: number, code: number): boolean {
  return (
    code < 0 ||
    code === CODE.backtick ||
    code === CODE.pipe ||
    code === CODE.semicolon ||
    (code === CODE.newline && window.before(index - 1) !== CODE.backslash)
  );
}
