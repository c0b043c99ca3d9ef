/** One line of what a scenario found. */
export interface Figure {
  readonly scenario: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The bound it must keep; none for what is given for information. */
  readonly limit?: { readonly atMost?: number; readonly atLeast?: number };
  /** Whether it measures time or speed, which a busy machine spoils; a quick test prints it and does not judge it. */
  readonly timed: boolean;
  readonly passed: boolean;
}

type Limit = NonNullable<Figure['limit']>;

export interface Report {
  readonly figures: readonly Figure[];
  /** A count that holds on any machine. */
  fact(what: string, value: number, limit?: Limit, unit?: string): void;
  /** A time or a speed. */
  timed(what: string, value: number, limit?: Limit, unit?: string): void;
}

/** @param print called with each figure as a line */
export function createReport(scenario: string, print: (line: string) => void): Report {
  const figures: Figure[] = [];
  const add = (what: string, value: number, limit: Limit | undefined, unit: string, timed: boolean) => {
    const isKept =
      !Number.isNaN(value) &&
      value <= (limit?.atMost ?? Number.POSITIVE_INFINITY) &&
      value >= (limit?.atLeast ?? Number.NEGATIVE_INFINITY);
    const figure = {
      scenario,
      what,
      value,
      unit,
      ...(limit && { limit }),
      timed,
      passed: limit === undefined || isKept,
    };
    figures.push(figure);
    print(describeFigure(figure));
  };
  return {
    figures,
    fact: (what, value, limit, unit = '') => add(what, value, limit, unit, false),
    timed: (what, value, limit, unit = 'ms') => add(what, value, limit, unit, true),
  };
}

function describeFigure({ scenario, what, value, unit, limit, passed }: Figure): string {
  const verdict = limit === undefined ? '    ' : passed ? 'pass' : 'FAIL';
  const bounds = [
    ...(limit?.atLeast === undefined ? [] : [`at least ${limit.atLeast}`]),
    ...(limit?.atMost === undefined ? [] : [`at most ${limit.atMost}`]),
  ];
  const bound = bounds.length === 0 ? '' : ` (${bounds.join(', ')})`;
  return `${verdict}  ${scenario}: ${what}: ${Math.round(value * 100) / 100}${unit && ` ${unit}`}${bound}`;
}

/** The value below which a share of the values lies; 0 for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
