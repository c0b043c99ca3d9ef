import { type CompiledRules, compileRules, type MaskOptions } from './compile-rules.ts';
import type { MaskType } from './finding.ts';
import { MaskMachine } from './mask-machine.ts';
import { collectingPolicy, compilePolicy, type MachinePolicy, type MaskPolicy } from './policy.ts';
import type { MaskSpan } from './span-writer.ts';
import { Scratch } from './text-window.ts';

export { MaskingBudgetExceeded } from './work-budget.ts';

export interface MaskResult {
  readonly text: string;
  /** What was masked, in positions of the masked text. */
  readonly spans: readonly MaskSpan[];
}

export interface MaskedBeginning {
  readonly text: string;
  /** Whether it is all of the text. */
  readonly whole: boolean;
}

/**
 * Masks a text that comes in pieces: what it gives back, joined, is what `mask` makes of the joined pieces, whatever they
 * are. It withholds what may still become part of a secret. Once it has thrown, it is of no more use.
 */
export interface MaskPieces {
  /**
   * @param piece at most SLICE characters at once, so that others have their turn between two
   * @throws MaskingBudgetExceeded as `mask`
   */
  push(piece: string): string;
  /**
   * Gives what was withheld: the text is whole.
   *
   * @throws as `push`
   */
  end(): string;
  /** How many values have been masked so far; at the end, as many as `mask` finds. */
  readonly counts: Readonly<Record<MaskType, number>>;
}

export interface Masker {
  readonly mask: (text: string) => MaskResult;
  /**
   * As `mask`, but in steps of at most some 30 ms whatever the text is, typically of a fifth of one, so that the caller can
   * let other work run between two steps.
   */
  readonly maskInSlices: (text: string) => Generator<undefined, MaskResult>;
  /**
   * Masks the beginning of a text: as far as `wanted` characters of masked text need it, and no further than
   * LONGEST_BEGINNING. It holds nothing that the rest of the text could still make part of a secret.
   */
  readonly maskBeginning: (text: string, wanted: number) => MaskedBeginning;
  readonly createStream: () => TransformStream<string, string>;
  /** As `createStream`, without a stream: those of the web cost more than the masking. */
  readonly createPieces: () => MaskPieces;
  /** The same masker under a policy for one request: nothing is compiled again. */
  readonly withPolicy: (policy: MaskPolicy) => Masker;
  /**
   * The values that masking `text` under no policy replaces, those of the service itself and those longer than
   * LONGEST_VALUE left out, as often as they are there: what a policy may `keep`. In steps as `maskInSlices`.
   */
  readonly valuesInSlices: (text: string) => Generator<undefined, readonly string[]>;
}

/** Characters that are masked in one go. */
export const SLICE = 16_384;
/** How much of a text is read for its masked beginning, characters. */
const LONGEST_BEGINNING = 65_536;

/**
 * Compiles the options once. Build it at start: the table takes milliseconds, a call microseconds. What it gives throws
 * MaskingBudgetExceeded where `mask` does; a stream fails with it.
 */
export function createMasker(options: MaskOptions = {}): Masker {
  const keep = new Set(options.keep);
  return maskerOf(compileRules(options), new Scratch(), keep, compilePolicy({ keep }));
}

/** `keep` is what stays under every policy. */
function maskerOf(rules: CompiledRules, scratch: Scratch, keep: ReadonlySet<string>, policy?: MachinePolicy): Masker {
  const begin = (reporting: boolean) => new MaskMachine(rules, scratch, reporting, policy);
  return {
    mask: (text) => {
      const machine = begin(true);
      return { text: machine.feed(text, true), spans: machine.spans };
    },
    maskInSlices: (text) => maskInSlices(begin(true), text),
    maskBeginning: (text, wanted) => maskBeginning(begin(false), text, wanted),
    createStream: () => streamOf(begin(false)),
    createPieces: () => piecesOf(begin(false)),
    withPolicy: (own) =>
      maskerOf(rules, scratch, keep, compilePolicy({ ...own, keep: new Set([...keep, ...(own.keep ?? [])]) })),
    valuesInSlices: (text) => valuesInSlices(rules, scratch, text),
  };
}

/**
 * Masks API endpoints, keys, IP addresses and connection strings in `text`, lone surrogates included; masking its own
 * output changes nothing.
 *
 * @throws MaskingBudgetExceeded when the text was made to take more work than its length pays for (`work-budget.ts`);
 *   there is no other error, and no text without secrets comes near it
 */
export function mask(text: string, options?: MaskOptions): MaskResult {
  return maskerFor(options).mask(text);
}

/** A stream of text pieces that masks as `mask` does, whatever the pieces are, in bounded memory; it fails where `mask` throws. */
export function createMaskStream(options?: MaskOptions): TransformStream<string, string> {
  return maskerFor(options).createStream();
}

const compiled = new WeakMap<MaskOptions, Masker>();
const NO_OPTIONS: MaskOptions = {};

function maskerFor(options: MaskOptions = NO_OPTIONS): Masker {
  const masker = compiled.get(options) ?? createMasker(options);
  compiled.set(options, masker);
  return masker;
}

function* maskInSlices(machine: MaskMachine, text: string): Generator<undefined, MaskResult> {
  let output = '';
  let end = SLICE;
  for (; end < text.length; end += SLICE) {
    output += machine.feedUntil(text, end);
    yield;
  }
  output += machine.feedUntil(text, end);
  return { text: output, spans: machine.spans };
}

function* valuesInSlices(
  rules: CompiledRules,
  scratch: Scratch,
  text: string,
): Generator<undefined, readonly string[]> {
  const values: string[] = [];
  const policy = collectingPolicy((value) => values.push(value));
  yield* maskInSlices(new MaskMachine(rules, scratch, false, policy), text);
  return values;
}

function maskBeginning(machine: MaskMachine, text: string, wanted: number): MaskedBeginning {
  let output = '';
  for (let end = SLICE; end <= LONGEST_BEGINNING && output.length <= wanted; end += SLICE) {
    output += machine.feedUntil(text, end);
    if (end >= text.length) return { text: output, whole: true };
  }
  return { text: output, whole: false };
}

function streamOf(machine: MaskMachine): TransformStream<string, string> {
  return new TransformStream({
    transform(chunk, controller) {
      const output = machine.feed(chunk, false);
      if (output !== '') controller.enqueue(output);
    },
    flush(controller) {
      const output = machine.feed('', true);
      if (output !== '') controller.enqueue(output);
    },
  });
}

function piecesOf(machine: MaskMachine): MaskPieces {
  return {
    push: (piece) => machine.feed(piece, false),
    end: () => machine.feed('', true),
    counts: machine.counts,
  };
}
