import type { Fleet, FleetMember, StreamTotals } from '@lontar/shared/dashboard-contract.ts';
import { clock, faults, fleet } from '../live/live-state.ts';
import { Fault } from '../page/fault.tsx';
import { formatBytes, formatCount, formatDecimal, formatMs, formatSpan } from '../tiles/format.ts';
import { sayFailing, fleet as wordsOf } from '../words/fleet.ts';
import { UpstreamsView } from './upstreams-view.tsx';

/** Who is up, and how they are doing. */
export function FleetView() {
  const seen = fleet.value;
  return (
    <section class="fleet" aria-label={wordsOf().title} aria-busy={seen === undefined}>
      <div class="card-head">
        <h2>{wordsOf().title}</h2>
        {seen && <p class="hint">{describeFleet(seen)}</p>}
      </div>
      <Fault lack={faults.value.fleet} />
      {seen === undefined ? (
        <p class="bone tall" />
      ) : (
        <>
          {!seen.members.some(({ service }) => service === 'worker') && <p class="fault">▲ {wordsOf().noWorker}</p>}
          <ul class="members">
            {seen.members.map((member) => (
              <Member key={member.id} member={member} />
            ))}
          </ul>
          {seen.upstreams !== undefined && seen.upstreams.length > 0 && <UpstreamsView upstreams={seen.upstreams} />}
          <Totals fleet={seen} />
        </>
      )}
    </section>
  );
}

function Member({ member }: { readonly member: FleetMember }) {
  const { slots, inFlight, lastProgressAt, memoryBytes, eventLoopP99Ms, model } = member;
  const words = wordsOf();
  const [icon, state, tone] = stateOf(member);
  const facts = [
    describeLoad(member),
    lastProgressAt === undefined ? '' : words.progress(formatSpan(clock.value - lastProgressAt)),
    model === undefined
      ? ''
      : model.lastOutcome === 'failed'
        ? words.modelFailed(model.provider)
        : words.model(model.provider),
    memoryBytes === undefined ? '' : formatBytes(memoryBytes),
    eventLoopP99Ms === undefined ? '' : words.eventLoop(formatMs(eventLoopP99Ms)),
  ];
  return (
    <li>
      <p class="member-name">
        <strong>{words.services[member.service]}</strong> <code>{member.id}</code>
      </p>
      <p class={`member-state ${tone}`}>
        <span aria-hidden="true">{icon}</span> {words.states[state]}
      </p>
      {slots !== undefined && (
        <span class="meter" aria-hidden="true">
          <i style={{ width: `${Math.min(100, (inFlight / Math.max(slots, 1)) * 100)}%` }} />
        </span>
      )}
      <p class="member-facts">
        {facts.filter((fact) => fact !== '').join(' · ')} · {member.version},{' '}
        {words.up(formatSpan(clock.value - member.startedAt))}
      </p>
      {member.failing !== undefined && <p class="fault">▲ {sayFailing(member.failing)}</p>}
    </li>
  );
}

function describeLoad({ service, slots, inFlight }: FleetMember): string {
  if (slots !== undefined) return wordsOf().slots(formatCount(inFlight), formatCount(slots));
  return service === 'gateway' ? wordsOf().inFlight(formatCount(inFlight)) : '';
}

function stateOf({
  failing,
  draining,
}: FleetMember): [icon: string, state: 'failing' | 'draining' | 'up', tone: string] {
  if (failing !== undefined) return ['✕', 'failing', 'failure'];
  return draining ? ['◌', 'draining', 'limited'] : ['●', 'up', 'success'];
}

function describeFleet({ members }: Fleet): string {
  const count = (service: FleetMember['service']) => members.filter((member) => member.service === service).length;
  return wordsOf().counts(count('gateway'), count('worker'));
}

function Totals({ fleet: { totals } }: { readonly fleet: Fleet }) {
  const names = wordsOf().facts;
  const facts: [string, string][] = [
    [names.calls, formatCount(totals.modelCalls)],
    [names.failed, formatCount(totals.modelErrors)],
    [names.again, formatCount(totals.modelRetries)],
    [names.mean, totals.modelMeanMs === undefined ? '–' : formatMs(totals.modelMeanMs)],
    [names.masked, formatCount(totals.secretsMasked)],
    [names.maskingMean, totals.maskingMeanMs === undefined ? '–' : `${formatDecimal(totals.maskingMeanMs, 2)} ms`],
    [names.maskingFailures, formatCount(totals.maskingFailures)],
    [names.stalled, formatCount(totals.jobsStalled)],
  ];
  return (
    <>
      <h3>{wordsOf().totals}</h3>
      <Facts facts={facts} />
      {totals.streams && <Streams streams={totals.streams} />}
    </>
  );
}

function Streams({ streams }: { readonly streams: StreamTotals }) {
  const names = wordsOf().facts;
  const mean = (ms: number | undefined) => (ms === undefined ? '–' : formatMs(ms));
  return (
    <>
      <h3>{wordsOf().streams}</h3>
      <Facts
        facts={[
          [names.open, formatCount(streams.open)],
          [names.begun, formatCount(streams.begun)],
          [names.firstByte, mean(streams.firstByteMeanMs)],
          [names.lag, mean(streams.lagMeanMs)],
          [names.broken, formatCount(streams.broken)],
          [names.gaps, formatCount(streams.gapsFilled)],
          [names.resumed, formatCount(streams.resumed)],
          [names.left, formatCount(streams.left)],
          [names.cut, formatCount(streams.cut)],
        ]}
      />
    </>
  );
}

function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="facts narrow">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
