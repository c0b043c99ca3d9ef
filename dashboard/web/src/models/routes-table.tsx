import type { ModelView, UpstreamView } from '@lontar/shared/admin/models-schemas.ts';
import { formatCount, formatDecimal, formatMs } from '../tiles/format.ts';
import { models } from '../words/models.ts';
import { BreakerWord } from './upstreams-table.tsx';

type Route = ModelView['routes'][number];

/** The routes of a model, in the order in which they are asked, with what came of their calls lately. */
export function RoutesTable(props: {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly upstreams: ReadonlyMap<string, UpstreamView>;
}) {
  const { name, routes, upstreams } = props;
  const words = models();
  const { route, state, share, calls, errors, latency, firstToken } = words.columns;
  return (
    <div class="scroll-x" tabindex={0} role="region" aria-label={words.routesOf(name)}>
      <table class="routes stacked" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {[route, state, share, calls, errors, latency, firstToken].map((column) => (
              <th scope="col" role="columnheader" key={column}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {routes.map((one) => (
            <RouteRow
              key={`${one.upstream}/${one.model}`}
              route={one}
              share={shareOf(one, routes)}
              upstream={upstreams.get(one.upstream)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RouteRow(props: {
  readonly route: Route;
  readonly share: string;
  readonly upstream: UpstreamView | undefined;
}) {
  const { route, share, upstream } = props;
  const { upstream: name, model, lately } = route;
  const { calls, errorShare, p50Ms, p95Ms, firstTokenP50Ms, firstTokenP95Ms } = lately;
  const all = Object.values(calls).reduce((sum, count) => sum + count, 0);
  const { columns } = models();
  return (
    <tr role="row">
      <th scope="row" role="rowheader">
        <bdi>{name}</bdi>
        <code>{model}</code>
      </th>
      <td role="cell" data-name={columns.state}>
        <BreakerWord upstream={upstream} />
      </td>
      <td role="cell" data-name={columns.share}>
        {share}
      </td>
      <td role="cell" data-name={columns.calls} title={describeCalls(calls)}>
        {formatCount(all)}
      </td>
      <td role="cell" data-name={columns.errors} class={errorShare !== null && errorShare > 0 ? 'bad' : undefined}>
        {errorShare === null ? '–' : formatShare(errorShare)}
      </td>
      <td role="cell" data-name={columns.latency}>
        {pair(p50Ms, p95Ms)}
      </td>
      <td role="cell" data-name={columns.firstToken}>
        {pair(firstTokenP50Ms, firstTokenP95Ms)}
      </td>
    </tr>
  );
}

/** What comes of the calls, where there are any of a kind. */
function describeCalls(calls: Route['lately']['calls']): string {
  const words = models().calls;
  return Object.entries(calls)
    .flatMap(([kind, count]) => (count > 0 ? [`${formatCount(count)} ${words[kind as keyof typeof words]}`] : []))
    .join(', ');
}

/** Among routes of one order by weight; those of a later order are asked where the earlier ones cannot be. */
function shareOf({ order, weight }: Route, routes: readonly Route[]): string {
  const words = models();
  const first = Math.min(...routes.map((route) => route.order));
  const together = routes.filter((route) => route.order === order).reduce((sum, route) => sum + route.weight, 0);
  const share = together > 0 ? `${Math.round((weight / together) * 100)} %` : '–';
  return order === first ? share : words.otherwise(share);
}

/** Rounded up, so that 0 % means none. */
function formatShare(share: number): string {
  return `${formatDecimal(Math.ceil(share * 1_000) / 10, 1)} %`;
}

function pair(median: number | null, p95: number | null): string {
  if (median === null) return '–';
  return p95 === null ? formatMs(median) : `${formatMs(median)} · ${formatMs(p95)}`;
}
