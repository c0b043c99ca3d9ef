import type { UpstreamView } from '@lontar/shared/admin/models-schemas.ts';
import { clock } from '../live/live-state.ts';
import { formatCount, formatSpan } from '../tiles/format.ts';
import { models } from '../words/models.ts';

/** The servers that run the models: their breakers, and what each bears. */
export function UpstreamsTable({ upstreams }: { readonly upstreams: readonly UpstreamView[] }) {
  const words = models();
  const { upstream, state, inFlight, bears, perMinute } = words.columns;
  return (
    <section class="model" aria-label={words.upstreams}>
      <div class="model-head">
        <h3>{words.upstreams}</h3>
      </div>
      <div class="scroll-x" tabindex={0} role="region" aria-label={words.upstreams}>
        <table class="routes stacked" role="table">
          <thead role="rowgroup">
            <tr role="row">
              {[upstream, state, inFlight, bears, perMinute].map((column) => (
                <th scope="col" role="columnheader" key={column}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {upstreams.map((one) => (
              <tr role="row" key={one.name}>
                <th scope="row" role="rowheader">
                  <bdi>{one.name}</bdi> <span class="whose">{one.provider}</span>
                </th>
                <td role="cell" data-name={state}>
                  <BreakerWord upstream={one} />
                </td>
                <td role="cell" data-name={inFlight}>
                  {formatCount(one.inFlight)}
                </td>
                <td role="cell" data-name={bears}>
                  {bearsOf(one)}
                </td>
                <td role="cell" data-name={perMinute}>
                  {perMinuteOf(one)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** How an upstream's breaker stands, as icon and word, with why and until when. */
export function BreakerWord({ upstream }: { readonly upstream: UpstreamView | undefined }) {
  const words = models();
  if (upstream === undefined) return <>–</>;
  const { state, reason, openUntil, leftAloneUntil } = upstream;
  const [tone, icon] = BREAKER_LOOKS[state];
  const until = openUntil ?? leftAloneUntil;
  const span = until === null ? undefined : Date.parse(until) - clock.value;
  return (
    <span class="breaker">
      <span class={`word ${tone}`}>
        <span aria-hidden="true">{icon}</span> {words.states[state]}
      </span>
      {state !== 'closed' && reason !== null && <span class="whose">{reason.replaceAll('_', ' ')}</span>}
      {span !== undefined && span > 0 && (
        <span class="whose">
          {openUntil === null ? words.leftAlone(formatSpan(span)) : words.openFor(formatSpan(span))}
        </span>
      )}
    </span>
  );
}

const BREAKER_LOOKS = {
  closed: ['success', '✓'],
  'half-open': ['caller', '◔'],
  open: ['failure', '✕'],
} as const satisfies Record<UpstreamView['state'], readonly [string, string]>;

function bearsOf({ maxInFlight, adaptiveLimit, placesUsed }: UpstreamView): string {
  const words = models();
  const most = [maxInFlight, adaptiveLimit].filter((limit) => limit !== null);
  if (most.length === 0) return words.noLimit;
  const used = words.places(formatCount(placesUsed), formatCount(Math.min(...most)));
  return adaptiveLimit === null ? used : `${used} (${words.adaptive})`;
}

function perMinuteOf({ requestsPerMinute, tokensPerMinute }: UpstreamView): string {
  const words = models();
  const limits = [
    requestsPerMinute !== null && words.requestsPerMinute(formatCount(requestsPerMinute)),
    tokensPerMinute !== null && words.tokensPerMinute(formatCount(tokensPerMinute)),
  ].filter((limit) => limit !== false);
  return limits.length === 0 ? words.noLimit : limits.join(', ');
}
