import type { UpstreamView } from '@lontar/shared/admin/models-schemas.ts';
import { clock } from '../live/live-state.ts';
import { formatCount, formatSpan } from '../tiles/format.ts';
import { upstreams as wordsOf } from '../words/upstreams.ts';

/** Upstreams that an overview has room for; those that are not well come first. */
const MOST_SHOWN = 12;
const URGENCY = { open: 0, 'half-open': 1, closed: 2 } as const satisfies Record<UpstreamView['state'], number>;

/** How the servers that run the models are doing, in a line each. */
export function UpstreamsView({ upstreams }: { readonly upstreams: readonly UpstreamView[] }) {
  const words = wordsOf();
  const left = upstreams.length - MOST_SHOWN;
  return (
    <>
      <h3>{words.title}</h3>
      <dl class="facts narrow">
        {upstreams
          .toSorted((a, b) => URGENCY[a.state] - URGENCY[b.state])
          .slice(0, MOST_SHOWN)
          .map((upstream) => (
            <div key={upstream.name}>
              <dt>
                <bdi>{upstream.name}</bdi>
              </dt>
              <dd>{describe(upstream)}</dd>
            </div>
          ))}
      </dl>
      {left > 0 && <p class="hint">{words.more(formatCount(left))}</p>}
    </>
  );
}

function describe({ state, openUntil, leftAloneUntil, inFlight }: UpstreamView): string {
  const words = wordsOf();
  const facts = [words.states[state], words.inFlight(formatCount(inFlight))];
  const leftOf = (until: string | null) => (until === null ? 0 : Date.parse(until) - clock.value);
  if (leftOf(openUntil) > 0) facts.push(words.another(formatSpan(leftOf(openUntil))));
  else if (leftOf(leftAloneUntil) > 0) facts.push(words.leftAlone(formatSpan(leftOf(leftAloneUntil))));
  return facts.join(' · ');
}
