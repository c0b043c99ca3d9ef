/** What a dashboard is, before Grafana's own words come in. */
export interface Board {
  /** Name of its file, and the end of its uid. */
  readonly name: string;
  readonly title: string;
  /** The one question that it answers. */
  readonly question: string;
  readonly panels: readonly Panel[];
  /** Panels that are there once for each value of a variable, in a row of their own. */
  readonly perValue?: { readonly variable: VariableName; readonly panels: readonly Panel[] };
  /** What the reader may choose, besides the data source. */
  readonly variables?: readonly VariableName[];
}

/** Labels that a reader may choose values of; queries name them as `$instance`. */
export type VariableName = 'instance' | 'endpoint';

export interface Panel {
  readonly title: string;
  /** What it shows, and what to think of it. */
  readonly about: string;
  readonly kind: 'stat' | 'lines' | 'stacked' | 'heatmap' | 'table';
  /** A unit that Grafana knows. */
  readonly unit: string;
  readonly queries: readonly PanelQuery[];
  /** Where the next question is answered: another dashboard's name. */
  readonly down: string;
  readonly steps?: Steps;
}

/** From where on a stat is yellow and red; ascending where more is worse, descending or equal where less is. */
export interface Steps {
  readonly warn: number;
  readonly bad: number;
}

export interface PanelQuery {
  readonly expr: string;
  /** Grafana's form: `{{outcome}}`. */
  readonly legend: string;
  /** Where it differs from the panel's: the series then has the axis on the right. Its legend must be a plain name. */
  readonly unit?: string;
  /** Of a stat, where they differ from the panel's. Its legend must be a plain name. */
  readonly steps?: Steps;
  /** Of a stat that is 0 or 1: what these mean. 0 is what must not be. Its legend must be a plain name. */
  readonly words?: { readonly 0: string; readonly 1: string };
}

/** Requests that ask for generation, as a label matcher. */
export const GENERATION = 'endpoint=~"/api/ai[23]?|/v1/chat/completions"';

/** All panels of a board, those that are repeated once. */
export function panelsOf({ panels, perValue }: Board): readonly Panel[] {
  return [...panels, ...(perValue?.panels ?? [])];
}

/** A quantile of a histogram over the panel's rate interval. */
export function quantile(share: number, histogram: string, options: { labels?: string; by?: string } = {}): string {
  const { labels = '', by } = options;
  const selector = labels === '' ? '' : `{${labels}}`;
  const groups = ['le', ...(by === undefined ? [] : [by])].join(', ');
  return `histogram_quantile(${share}, sum by (${groups}) (rate(${histogram}_bucket${selector}[$__rate_interval])))`;
}

/** The quantiles p50, p95 and p99 of a histogram. */
export function quantiles(histogram: string, labels = ''): PanelQuery[] {
  return [0.5, 0.95, 0.99].map((share) => ({
    expr: quantile(share, histogram, { labels }),
    legend: `p${share * 100}`,
  }));
}
