import type { Trouble } from '@lontar/shared/dashboard-contract.ts';
import { troubles } from '../live/live-state.ts';
import { formatClock, formatDateTime } from '../tiles/format.ts';
import { sayTrouble, troubles as wordsOf } from '../words/troubles.ts';

const DAY_MS = 86_400_000;

/** What is wrong with the service: since when, for whom, and where it says what to do. Read out when it changes. */
export function Troubles() {
  return (
    <div role="alert" class="troubles">
      {troubles.value.map((trouble) => (
        <TroubleView key={trouble.id} {...trouble} />
      ))}
    </div>
  );
}

function TroubleView(trouble: Trouble) {
  const { isDown, since, runbook, runbookUrl } = trouble;
  const [what, whom] = sayTrouble(trouble);
  return (
    <section class={isDown ? 'trouble down' : 'trouble'}>
      <p>
        <strong>
          <span aria-hidden="true">{isDown ? '✕' : '▲'}</span> {wordsOf().head(isDown, timeOf(since), whom)}
        </strong>{' '}
        {what}
      </p>
      <p class="runbook">
        {wordsOf().whatToDo}{' '}
        <a href={runbookUrl ?? `/docs/runbooks/${runbook}`} target="_blank" rel="noreferrer">
          {runbook}
        </a>
      </p>
    </section>
  );
}

function timeOf(at: number): string {
  return Date.now() - at < DAY_MS ? formatClock(at) : formatDateTime(at);
}
