import { connection, dataAt, trouble } from '../live/live-state.ts';
import { reconnectNow } from '../live/open-stream.ts';
import { formatClock } from '../tiles/format.ts';
import { shell } from '../words/shell.ts';

/** Why the page is cut off, and what to do. */
export function Trouble() {
  const state = connection.value;
  if (state !== 'disconnected' && state !== 'stale') return null;
  const words = shell();
  const since = dataAt.value === undefined ? words.noDataYet : words.noDataSince(formatClock(dataAt.value));
  const reason = state === 'stale' ? words.nothingComes : trouble.value(words);
  return (
    <div class="trouble">
      <p>
        <strong>{since}.</strong> {reason} {words.keepsTrying}
      </p>
      <button type="button" onClick={reconnectNow}>
        {words.retry}
      </button>
    </div>
  );
}
