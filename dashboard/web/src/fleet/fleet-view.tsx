import type { Fleet, FleetMember, StreamTotals } from '@lontar/shared/dashboard-contract.ts';
import { clock, faults, fleet } from '../live/live-state.ts';
import { Fault } from '../page/fault.tsx';
import { formatBytes, formatCount, formatMs, formatSpan } from '../tiles/format.ts';
import { UpstreamsView } from './upstreams-view.tsx';

const NAMES = { gateway: 'Gateway', worker: 'Worker', 'stats-service': 'Statistics' } as const;

/** Who is up, and how they are doing. */
export function FleetView() {
  const seen = fleet.value;
  return (
    <section class="fleet" aria-label="Fleet" aria-busy={seen === undefined}>
      <div class="card-head">
        <h2>Fleet</h2>
        {seen && <p class="hint">{describeFleet(seen)}</p>}
      </div>
      <Fault reason={faults.value.fleet} />
      {seen === undefined ? (
        <p class="bone tall" />
      ) : (
        <>
          {!seen.members.some(({ service }) => service === 'worker') && (
            <p class="fault">▲ No worker is up: requests wait until one is.</p>
          )}
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
  const [icon, word, tone] = stateOf(member);
  const facts = [
    describeLoad(member),
    lastProgressAt === undefined ? '' : `progress ${formatSpan(clock.value - lastProgressAt)} ago`,
    model === undefined ? '' : `model ${model.provider}${model.lastOutcome === 'failed' ? ': last call failed' : ''}`,
    memoryBytes === undefined ? '' : formatBytes(memoryBytes),
    eventLoopP99Ms === undefined ? '' : `event loop p99 ${formatMs(eventLoopP99Ms)}`,
  ];
  return (
    <li>
      <p class="member-name">
        <strong>{NAMES[member.service]}</strong> <code>{member.id}</code>
      </p>
      <p class={`member-state ${tone}`}>
        <span aria-hidden="true">{icon}</span> {word}
      </p>
      {slots !== undefined && (
        <span class="meter" aria-hidden="true">
          <i style={{ width: `${Math.min(100, (inFlight / Math.max(slots, 1)) * 100)}%` }} />
        </span>
      )}
      <p class="member-facts">
        {facts.filter((fact) => fact !== '').join(' · ')} · {member.version}, up{' '}
        {formatSpan(clock.value - member.startedAt)}
      </p>
      {member.failing !== undefined && <p class="fault">▲ {member.failing}</p>}
    </li>
  );
}

function describeLoad({ service, slots, inFlight }: FleetMember): string {
  if (slots !== undefined) return `${formatCount(inFlight)} of ${formatCount(slots)} slots`;
  return service === 'gateway' ? `${formatCount(inFlight)} in flight` : '';
}

function stateOf({ failing, draining }: FleetMember): [icon: string, word: string, tone: string] {
  if (failing !== undefined) return ['✕', 'Failing', 'failure'];
  return draining ? ['◌', 'Draining', 'limited'] : ['●', 'Up', 'success'];
}

function describeFleet({ members }: Fleet): string {
  const count = (service: FleetMember['service']) => members.filter((member) => member.service === service).length;
  const [gateways, workers] = [count('gateway'), count('worker')];
  return `${gateways} ${gateways === 1 ? 'gateway' : 'gateways'}, ${workers} ${workers === 1 ? 'worker' : 'workers'}`;
}

function Totals({ fleet: { totals } }: { readonly fleet: Fleet }) {
  const facts: [string, string][] = [
    ['Model calls', formatCount(totals.modelCalls)],
    ['of them failed', formatCount(totals.modelErrors)],
    ['made again', formatCount(totals.modelRetries)],
    ['mean', totals.modelMeanMs === undefined ? '–' : formatMs(totals.modelMeanMs)],
    ['Values masked', formatCount(totals.secretsMasked)],
    ['Masking, mean', totals.maskingMeanMs === undefined ? '–' : `${totals.maskingMeanMs.toFixed(2)} ms`],
    ['Masking failures', formatCount(totals.maskingFailures)],
    ['Jobs stalled', formatCount(totals.jobsStalled)],
  ];
  return (
    <>
      <h3>All instances, since each one's start</h3>
      <Facts facts={facts} />
      {totals.streams && <Streams streams={totals.streams} />}
    </>
  );
}

function Streams({ streams }: { readonly streams: StreamTotals }) {
  const mean = (ms: number | undefined) => (ms === undefined ? '–' : formatMs(ms));
  return (
    <>
      <h3>Streams</h3>
      <Facts
        facts={[
          ['Open now', formatCount(streams.open)],
          ['Begun', formatCount(streams.begun)],
          ['First byte, mean', mean(streams.firstByteMeanMs)],
          ['From Redis, mean', mean(streams.lagMeanMs)],
          ['Broken off', formatCount(streams.broken)],
          ['Gaps filled', formatCount(streams.gapsFilled)],
          ['Resumed', formatCount(streams.resumed)],
          ['Callers who left', formatCount(streams.left)],
          ['Slow readers cut', formatCount(streams.cut)],
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
