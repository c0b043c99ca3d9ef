/** A value of packages that were held out, as the fitted judge sees it. */
export interface Judged {
  readonly value: string;
  /** Of a drawn value; undefined for an identifier. */
  readonly kind: string | undefined;
  /** Logarithm of the odds that it was drawn. */
  readonly score: number;
}

const THRESHOLDS = [-4, -3, -2, -1, 0, 1, 2];
const BINS = [0, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 1];
const MOST_WORST = 10;

/** What a judge is worth, as Markdown: recall of each kind and precision by threshold, calibration, the worst errors. */
export function describeFit(judged: readonly Judged[]): string {
  const identifiers = judged.filter(({ kind }) => kind === undefined);
  const drawn = judged.filter(({ kind }) => kind !== undefined);
  return [
    `${judged.length} values of packages that were held out, ${identifiers.length} of them identifiers:\n`,
    thresholds(identifiers, drawn),
    'Precision is for as many drawn values as identifiers. The score is the logarithm of odds; -2 is used.\n',
    calibration(judged),
    worst(identifiers, drawn),
  ].join('\n');
}

function thresholds(identifiers: readonly Judged[], drawn: readonly Judged[]): string {
  const kinds = [...new Set(drawn.map(({ kind }) => kind ?? ''))];
  const rows = kinds.map((kind) => {
    const values = drawn.filter((value) => value.kind === kind);
    return row(`recall, ${kind}`, (above) => percent(shareAbove(values, above)));
  });
  return table(
    ['score above', ...THRESHOLDS.map(String)],
    [
      row('identifiers called drawn', (above) => percent(shareAbove(identifiers, above))),
      ...rows,
      row('precision', (above) => {
        const right = shareAbove(drawn, above);
        return percent(right / (right + shareAbove(identifiers, above)));
      }),
    ],
  );
}

function row(name: string, cell: (threshold: number) => string): string[] {
  return [name, ...THRESHOLDS.map(cell)];
}

function calibration(judged: readonly Judged[]): string {
  const rows = BINS.slice(1).map((to, index) => {
    const from = BINS[index] ?? 0;
    const within = judged.filter(({ score }) => {
      const probability = 1 / (1 + Math.exp(-score));
      return probability >= from && (probability < to || to === 1);
    });
    const share = within.filter(({ kind }) => kind !== undefined).length / within.length;
    return [`${percent(from)} to ${percent(to)}`, String(within.length), within.length > 0 ? percent(share) : ''];
  });
  return table(['said to be drawn with', 'values', 'were drawn'], rows);
}

function worst(identifiers: readonly Judged[], drawn: readonly Judged[]): string {
  const list = (values: readonly Judged[]) => values.map(({ value }) => `\`${value}\``).join(', ');
  const byScore = (values: readonly Judged[], sign: 1 | -1) =>
    values.toSorted((a, b) => sign * (a.score - b.score)).slice(0, MOST_WORST);
  return [
    `The ${MOST_WORST} identifiers that look most drawn: ${list(byScore(identifiers, -1))}.\n`,
    `The ${MOST_WORST} drawn values that read most like identifiers: ${list(byScore(drawn, 1))}.\n`,
  ].join('\n');
}

function shareAbove(values: readonly Judged[], threshold: number): number {
  return values.filter(({ score }) => score > threshold).length / values.length;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0.99 && share < 1 ? 2 : 1)} %`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
