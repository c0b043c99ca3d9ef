import { type KindScore, sumScores } from './score.ts';

const HEADINGS = ['kind', 'secrets', 'leaked', 'recall', 'damaged', 'clean', 'changed', 'unstable'];

/**
 * The score as a table of text: per kind secrets, secrets that leaked, recall in per cent, texts with a secret of which
 * something else changed, clean texts, clean texts changed, and texts that masking twice changed twice.
 */
export function scoreTable(scores: readonly KindScore[]): string {
  const aimed = scores.filter(({ kind }) => kind.startsWith('aimed-'));
  const blind = scores.filter((score) => !aimed.includes(score));
  const rows = [...groupRows('all blind', blind), ...groupRows('all aimed', aimed)];
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [HEADINGS, ...rows]
    .map((row) => row.map((cell, column) => align(cell, widths[column] ?? 0, column)).join('  '))
    .join('\n');
}

/** The score as the entries of held-score.ts. */
export function heldLines(scores: readonly KindScore[]): string {
  return scores
    .map((score) => {
      const counts = [score.leaked, score.secretTextsDamaged, score.cleanTextsChanged, score.unstable];
      return `  '${score.kind}': [${counts.join(', ')}],`;
    })
    .join('\n');
}

function groupRows(name: string, scores: readonly KindScore[]): string[][] {
  return scores.length === 0 ? [] : scores.map(rowOf).concat([rowOf(sumScores(name, scores))]);
}

function rowOf(score: KindScore): string[] {
  const share = score.secrets === 0 ? '' : `${(100 - (100 * score.leaked) / score.secrets).toFixed(1)} %`;
  return [
    score.kind,
    blankIfNone(score.secrets, score.secrets),
    blankIfNone(score.leaked, score.secrets),
    share,
    blankIfNone(score.secretTextsDamaged, score.secretTexts),
    blankIfNone(score.cleanTexts, score.cleanTexts),
    blankIfNone(score.cleanTextsChanged, score.cleanTexts),
    String(score.unstable),
  ];
}

function blankIfNone(count: number, of: number): string {
  return of === 0 ? '' : String(count);
}

function align(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
