import {
  GraphDrawStyle,
  ReduceDataOptionsBuilder,
  StackingConfigBuilder,
  StackingMode,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  MappingType,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as HeatmapBuilder, YAxisConfigBuilder } from '@grafana/grafana-foundation-sdk/heatmap';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { type Board, type Panel, type PanelQuery, panelsOf, type Steps, type VariableName } from './board.ts';

/** The one that is provisioned (provisioning/datasources) is chosen at first; an import may choose another. */
const PROVISIONED = { text: 'Prometheus', value: 'lontar-prometheus' };
const DATASOURCE = { type: 'prometheus', uid: `\${datasource}` } as const;
/** What the values of a variable are, in Grafana's words for Prometheus. */
const VALUES: Readonly<Record<VariableName, string>> = {
  instance: 'label_values(app_build_info, instance)',
  endpoint: 'label_values(gateway_requests_total, endpoint)',
};
const GRID_COLUMNS = 24;

/** Grafana's JSON of a dashboard. */
export function buildDashboard(board: Board): object {
  const builder = new DashboardBuilder(board.title)
    .uid(uidOf(board.name))
    .description(board.question)
    .tags(['lontar'])
    .readonly()
    .timezone('utc')
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .tooltip(DashboardCursorSync.Crosshair)
    .link(
      new DashboardLinkBuilder('Lontar')
        .type(DashboardLinkType.Dashboards)
        .tags(['lontar'])
        .asDropdown(false)
        .keepTime(true),
    );
  builder.withVariable(
    new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus').current(PROVISIONED),
  );
  for (const name of board.variables ?? []) builder.withVariable(buildVariable(name));
  for (const panel of board.panels) builder.withPanel(buildPanel(panel, columnsOf(panel, board)));
  if (board.perValue !== undefined) {
    const { variable, panels } = board.perValue;
    builder.withRow(new RowBuilder(`$${variable}`).repeat(variable));
    for (const panel of panels) builder.withPanel(buildPanel(panel, GRID_COLUMNS / panels.length));
  }
  return builder.build();
}

function buildVariable(name: VariableName): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`)
    .datasource(DATASOURCE)
    .query({ query: VALUES[name], refId: name })
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ text: ['All'], value: ['$__all'] });
}

function uidOf(name: string): string {
  return `lontar-${name}`;
}

/** Stats share the first row; everything else is half as wide as the page, tables a third. */
function columnsOf(panel: Panel, board: Board): number {
  const alike = panelsOf(board).filter(({ kind }) => kind === panel.kind).length;
  if (panel.kind === 'stat') return Math.floor(GRID_COLUMNS / alike);
  return panel.kind === 'table' ? Math.floor(GRID_COLUMNS / 3) : GRID_COLUMNS / 2;
}

function buildPanel(panel: Panel, columns: number) {
  const builder = start(panel)
    .title(panel.title)
    .description(panel.about)
    .datasource(DATASOURCE)
    .height(panel.kind === 'stat' ? 4 : 8)
    .span(columns)
    .links([
      new DashboardLinkBuilder('Look further')
        .type(DashboardLinkType.Link)
        .url(`/d/${uidOf(panel.down)}`)
        .keepTime(true),
    ]);
  for (const [index, query] of panel.queries.entries()) {
    builder.withTarget(buildQuery(panel, query, index));
    const own = propertiesOf(query);
    if (own.length > 0) builder.overrideByName(query.legend, own);
  }
  return builder;
}

/** What one series has otherwise than its panel. */
function propertiesOf({ unit, steps, words }: PanelQuery) {
  const right = { id: 'custom.axisPlacement', value: 'right' };
  return [
    ...(unit === undefined ? [] : [{ id: 'unit', value: unit }, right]),
    ...(steps === undefined ? [] : [{ id: 'thresholds', value: thresholds(steps).build() }]),
    ...(words === undefined
      ? []
      : [
          { id: 'mappings', value: [{ type: MappingType.ValueToText, options: wordsOf(words) }] },
          { id: 'thresholds', value: thresholds({ warn: 1, bad: 1 }).build() },
        ]),
  ];
}

function wordsOf(words: NonNullable<PanelQuery['words']>) {
  return { 0: { text: words[0], color: 'red', index: 0 }, 1: { text: words[1], color: 'green', index: 1 } };
}

function start(panel: Panel) {
  switch (panel.kind) {
    case 'stat': {
      const last = new ReduceDataOptionsBuilder().calcs(['lastNotNull']);
      const stat = new StatBuilder().unit(panel.unit).reduceOptions(last);
      return panel.steps ? stat.thresholds(thresholds(panel.steps)) : stat;
    }
    case 'heatmap':
      return new HeatmapBuilder().yAxis(new YAxisConfigBuilder().unit(panel.unit));
    case 'table':
      return new TableBuilder().unit(panel.unit);
    case 'lines':
      return timeseries(panel).fillOpacity(0);
    case 'stacked':
      return timeseries(panel)
        .drawStyle(GraphDrawStyle.Line)
        .fillOpacity(30)
        .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
    default:
      throw new Error(`Unknown kind of panel: ${String(panel.kind satisfies never)}`);
  }
}

/** Shares have the whole of their axis: a line at the top of one that ends at 0.003 reads like a disaster. */
function timeseries({ unit }: Panel): TimeseriesBuilder {
  const builder = new TimeseriesBuilder().unit(unit);
  return unit === 'percentunit' ? builder.min(0).max(1) : builder;
}

function thresholds({ warn, bad }: Steps) {
  const steps =
    warn < bad
      ? [
          { value: null, color: 'green' },
          { value: warn, color: 'orange' },
          { value: bad, color: 'red' },
        ]
      : [
          { value: null, color: 'red' },
          { value: bad, color: 'orange' },
          { value: warn, color: 'green' },
        ];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}

function buildQuery(panel: Panel, { expr, legend }: PanelQuery, index: number): DataqueryBuilder {
  const query = new DataqueryBuilder()
    .datasource(DATASOURCE)
    .refId(String.fromCodePoint('A'.charCodeAt(0) + index))
    .expr(expr)
    .legendFormat(legend);
  if (panel.kind === 'heatmap') return query.range().format(PromQueryFormat.Heatmap);
  if (panel.kind === 'table') return query.instant().format(PromQueryFormat.Table);
  return panel.kind === 'stat' ? query.instant() : query.range();
}
