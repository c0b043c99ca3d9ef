import { compileRules } from '../compile-rules.ts';
import { MaskMachine } from '../mask-machine.ts';
import { Scratch } from '../text-window.ts';
import { MaskingBudgetExceeded, MOST_DEBT, STEPS_PER_CHARACTER } from '../work-budget.ts';
import type { HostileText } from './hostile-texts.ts';

/** What masking a text took. */
export interface Trial {
  readonly refused: boolean;
  /** Steps. */
  readonly work: number;
  /** Of this thread's processor time, so that a busy machine disturbs it less. */
  readonly milliseconds: number;
  readonly text: string;
}

/** What a text of 60,000 characters may take, masked or refused, ms; in proportion for longer ones. */
const MOST_MS = 300;
const MOST_MS_FOR = 60_000;
/** A slow run may be the machine's fault: the best of so many counts. */
const TRIES = 3;
/** Pieces of a stream for the comparison, characters. */
const PIECE = 4_001;

const rules = compileRules({
  knownValues: ['Zk7-Qp/3x+Lm9w', 'gudang.kopi-susu.example', 'redis://:kopi@10.9.8.7:6379'],
});
const scratch = new Scratch();

/**
 * Masks a text whole, or in pieces as a stream gets them.
 *
 * @throws whatever masking throws besides MaskingBudgetExceeded, which is a bug
 */
export function maskOnce(text: string, piece = text.length): Trial {
  const machine = new MaskMachine(rules, scratch, false);
  const before = process.threadCpuUsage();
  let output = '';
  let refused = false;
  try {
    let from = 0;
    for (; from + piece < text.length; from += piece) output += machine.feed(text.slice(from, from + piece), false);
    output += machine.feed(text.slice(from), true);
  } catch (error) {
    if (!(error instanceof MaskingBudgetExceeded)) throw error;
    refused = true;
  }
  const { user, system } = process.threadCpuUsage(before);
  return { refused, work: machine.work, milliseconds: (user + system) / 1_000, text: output };
}

/** Tries a text; `fault` says what is wrong with how it was masked. */
export function tryHostileText({ name, text }: HostileText): { readonly trial: Trial; readonly fault?: string } {
  let trial = maskOnce(text);
  const mostMs = MOST_MS * Math.max(1, text.length / MOST_MS_FOR);
  for (let again = 1; again < TRIES && trial.milliseconds > mostMs; again++) {
    const next = maskOnce(text);
    if (next.milliseconds < trial.milliseconds) trial = next;
  }
  const fault = faultOf(text, trial, mostMs);
  return fault === undefined ? { trial } : { trial, fault: `${fault}: ${name}` };
}

function faultOf(text: string, trial: Trial, mostMs: number): string | undefined {
  // A refusal comes after the verifier that used too much, so the debt may be exceeded by one verifier's work.
  const mostWork = STEPS_PER_CHARACTER * text.length + 2 * MOST_DEBT;
  if (trial.work > mostWork) return `${trial.work} steps for ${text.length} characters`;
  if (trial.milliseconds > mostMs) return `${trial.milliseconds.toFixed(0)} ms for ${text.length} characters`;
  const streamed = maskOnce(text, PIECE);
  if (!trial.refused && !streamed.refused && streamed.text !== trial.text) return 'a stream gives something else';
  return undefined;
}
