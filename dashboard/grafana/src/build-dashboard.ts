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
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as HeatmapBuilder, YAxisConfigBuilder } from '@grafana/grafana-foundation-sdk/heatmap';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import type { Board, Panel, PanelQuery } from './board.ts';

/** Fixed, because provisioned dashboards name their datasource by it. */
const DATASOURCE = { type: 'prometheus', uid: 'lontar-prometheus' } as const;
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
  for (const panel of board.panels) builder.withPanel(buildPanel(panel, columnsOf(panel, board)));
  return builder.build();
}

function uidOf(name: string): string {
  return `lontar-${name}`;
}

/** Stats share the first row; everything else is half as wide as the page, tables a third. */
function columnsOf(panel: Panel, board: Board): number {
  const alike = board.panels.filter(({ kind }) => kind === panel.kind).length;
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
    if (query.unit === undefined) continue;
    builder.overrideByName(query.legend, [
      { id: 'unit', value: query.unit },
      { id: 'custom.axisPlacement', value: 'right' },
    ]);
  }
  return builder;
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
      return new TimeseriesBuilder().unit(panel.unit).fillOpacity(0);
    case 'stacked':
      return new TimeseriesBuilder()
        .unit(panel.unit)
        .drawStyle(GraphDrawStyle.Line)
        .fillOpacity(30)
        .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
    default:
      throw new Error(`Unknown kind of panel: ${String(panel.kind satisfies never)}`);
  }
}

function thresholds({ warn, bad }: NonNullable<Panel['steps']>) {
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
