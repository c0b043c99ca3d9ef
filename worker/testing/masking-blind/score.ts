import { type FilledText, fillSlots } from './fill-slots.ts';
import type { BlindCase } from './read-cases.ts';

/** What became of one case. No fault means that it went as it should. */
export interface CaseResult {
  readonly id: string;
  readonly kind: string;
  readonly faults: readonly string[];
  readonly secrets: number;
  readonly leaks: number;
  /** Something that had to stay was changed. */
  readonly damaged: boolean;
  /** Masking the masked text changed it again. */
  readonly unstable: boolean;
}

/** The score of one kind, in counts: secrets in its texts, texts without a secret, and what went wrong. */
export interface KindScore {
  readonly kind: string;
  readonly secrets: number;
  readonly leaked: number;
  readonly secretTexts: number;
  readonly secretTextsDamaged: number;
  readonly cleanTexts: number;
  readonly cleanTextsChanged: number;
  readonly unstable: number;
}

type Mask = (text: string) => string;

/** From this length on, a piece that survives is a leak as well as the whole. */
const PIECES_COUNT_FROM = 16;
const SHORTEST_PIECE = 8;
const PIECE_SHARE = 0.3;

/** Runs a masker over cases whose values come from `seed`. */
export function runCases(cases: readonly BlindCase[], mask: Mask, seed: string): CaseResult[] {
  return cases.map((one) => runCase(one, mask, seed));
}

/** Counts results by kind, in the order in which kinds first stand in them. */
export function scoreByKind(results: readonly CaseResult[]): KindScore[] {
  return [...Map.groupBy(results, ({ kind }) => kind)].map(([kind, ofKind]) => countKind(kind, ofKind));
}

/** One row over several kinds. */
export function sumScores(kind: string, scores: readonly KindScore[]): KindScore {
  const sum = (count: (score: KindScore) => number) => scores.reduce((total, score) => total + count(score), 0);
  return {
    kind,
    secrets: sum((score) => score.secrets),
    leaked: sum((score) => score.leaked),
    secretTexts: sum((score) => score.secretTexts),
    secretTextsDamaged: sum((score) => score.secretTextsDamaged),
    cleanTexts: sum((score) => score.cleanTexts),
    cleanTextsChanged: sum((score) => score.cleanTextsChanged),
    unstable: sum((score) => score.unstable),
  };
}

function countKind(kind: string, results: readonly CaseResult[]): KindScore {
  const withSecrets = results.filter(({ secrets }) => secrets > 0);
  const clean = results.filter(({ secrets }) => secrets === 0);
  return {
    kind,
    secrets: results.reduce((total, { secrets }) => total + secrets, 0),
    leaked: results.reduce((total, { leaks }) => total + leaks, 0),
    secretTexts: withSecrets.length,
    secretTextsDamaged: withSecrets.filter(({ damaged }) => damaged).length,
    cleanTexts: clean.length,
    cleanTextsChanged: clean.filter(({ damaged }) => damaged).length,
    unstable: results.filter(({ unstable }) => unstable).length,
  };
}

function runCase(one: BlindCase, mask: Mask, seed: string): CaseResult {
  const filled = fillSlots(one.template, `${seed}/${one.id}`);
  const output = mask(filled.text);
  const leaks = filled.secrets.filter((secret) => survives(secret, output));
  const lost = filled.secrets.length === 0 ? changedLines(filled.text, output) : lostParts(one, filled, output);
  const again = mask(output);
  return {
    id: one.id,
    kind: one.kind,
    faults: [
      ...leaks.map((secret) => `leaks ${secret}`),
      ...lost.map((part) => `changes ${part.trimEnd()}`),
      ...(again === output ? [] : [`masked again it becomes ${again}`]),
    ],
    secrets: filled.secrets.length,
    leaks: leaks.length,
    damaged: lost.length > 0,
    unstable: again !== output,
  };
}

/** Whether a secret, or a piece of a long one, is still there; a block of lines counts as a whole if one line is. */
function survives(secret: string, output: string): boolean {
  return secret.split(/\n|\\n/).some((line) => {
    if (line === '') return false;
    if (output.includes(line)) return true;
    if (line.length < PIECES_COUNT_FROM) return false;
    const width = Math.max(SHORTEST_PIECE, Math.ceil(line.length * PIECE_SHARE));
    for (let start = 0; start + width <= line.length; start++) {
      if (output.includes(line.slice(start, start + width))) return true;
    }
    return false;
  });
}

/** Lines without a secret that are no longer there in their order, and pieces to keep that are gone. */
function lostParts(one: BlindCase, { cleanLines }: FilledText, output: string): string[] {
  const lost = one.keep.filter((piece) => !output.includes(piece));
  if (one.loose) return lost;
  let from = 0;
  for (const line of cleanLines) {
    const found = output.indexOf(line, from);
    if (found === -1) lost.push(line);
    else from = found + line.length;
  }
  return lost;
}

function changedLines(input: string, output: string): string[] {
  if (input === output) return [];
  const after = output.split('\n');
  const changed = input.split('\n').filter((line) => !after.includes(line));
  return changed.length > 0 ? changed : ['the order of lines'];
}
