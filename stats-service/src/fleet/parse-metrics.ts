/** One series of a metric. */
export interface MetricValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric in the form that prom-client aggregates. */
export interface ParsedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: 'sum' | 'max' | 'average';
  readonly values: MetricValue[];
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([^ ]+)/;
const LABEL = /\b([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/**
 * Reads Prometheus's text format as our own instances write it. Series are added up between instances, except moments
 * in time and versions, of which the greatest counts.
 */
export function parseMetrics(text: string): ParsedMetric[] {
  const metrics = new Map<string, ParsedMetric>();
  let help = '';
  let current: ParsedMetric | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) help = line.slice(line.indexOf(' ', 7) + 1);
    else if (line.startsWith('# TYPE ')) {
      const [, , name = '', type = 'untyped'] = line.split(' ');
      current = { name, help, type, aggregator: aggregatorOf(name, type), values: [] };
      metrics.set(name, current);
    } else if (current) {
      const [, metricName, labels = '', value] = SAMPLE.exec(line) ?? [];
      if (metricName !== undefined)
        current.values.push({ metricName, labels: parseLabels(labels), value: Number(value) });
    }
  }
  return [...metrics.values()];
}

/** Sum of the series of a metric whose labels fit. */
export function sumOf(
  metrics: readonly ParsedMetric[],
  metricName: string,
  fits: (labels: Readonly<Record<string, string>>) => boolean = () => true,
): number {
  let sum = 0;
  for (const metric of metrics) {
    for (const series of metric.values) {
      if ((series.metricName || metric.name) === metricName && fits(series.labels)) sum += series.value;
    }
  }
  return sum;
}

function aggregatorOf(name: string, type: string): ParsedMetric['aggregator'] {
  if (type !== 'gauge') return 'sum';
  if (/_timestamp_seconds$|_time_seconds$|_info$/.test(name)) return 'max';
  // What all gateways keep together: each of them reports the whole.
  if (name.startsWith('gateway_upload_storage_')) return 'max';
  return name.startsWith('nodejs_eventloop_lag') ? 'average' : 'sum';
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(LABEL)) {
    labels[name] = value.replaceAll(/\\[n"\\]/g, (escape) => ESCAPES[escape] ?? escape);
  }
  return labels;
}
