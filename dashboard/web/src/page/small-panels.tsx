import type { BlockedAddress } from '@lontar/shared/dashboard-contract.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { showNotice } from '../clipboard/copy.ts';
import { clock } from '../live/live-state.ts';
import { formatSpan } from '../tiles/format.ts';
import { closePanel } from './panels.ts';
import { Sheet } from './sheet.tsx';

/** The addresses that are blocked now. */
export function BlockedSheet() {
  const list = useSignal<readonly BlockedAddress[] | undefined>(undefined);
  const failed = useSignal(false);
  const problem = useSignal('');
  const read = () =>
    readBlocked().then(
      (found) => {
        list.value = found;
      },
      () => {
        failed.value = true;
      },
    );
  const lift = async (address: string) => {
    problem.value = await postUnblock(address);
    if (problem.value === '') showNotice(`${address} is no longer blocked`);
    await read();
  };
  useEffect(() => {
    void read();
  }, []);
  return (
    <Sheet title="Blocked addresses">
      {failed.value && <p class="fault">▲ The list could not be read.</p>}
      {problem.value !== '' && <p class="fault">▲ {problem.value}</p>}
      {list.value?.length === 0 && <p class="hint">No address is blocked now.</p>}
      {list.value && list.value.length > 0 && (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Why</th>
              <th scope="col">Until</th>
              <th scope="col">Lift</th>
            </tr>
          </thead>
          <tbody>
            {list.value.map(({ address, reason, until }) => (
              <tr key={address}>
                <td>
                  <code>{address}</code>
                </td>
                <td>{reason}</td>
                <td>{until === null ? 'until lifted' : `for another ${formatSpan(until - clock.value)}`}</td>
                <td>
                  {reason === 'over the hourly limit' ? (
                    'ends by itself'
                  ) : (
                    <button
                      type="button"
                      class="link"
                      aria-label={`Lift the block of ${address}`}
                      onClick={() => void lift(address)}
                    >
                      Lift
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="hint">
        <code>lontar ips block</code> and <code>lontar ips unblock</code> change it as well.
      </p>
    </Sheet>
  );
}

/** Asks before "Total requests" starts at 0. */
export function ResetQuestion() {
  const failed = useSignal(false);
  const reset = async () => {
    const response = await fetch('/dashboard/reset', { method: 'POST' }).catch(() => undefined);
    if (response?.ok) closePanel();
    else failed.value = true;
  };
  return (
    <Sheet title="Reset total requests?" small>
      <p>“Total requests” starts at 0 again. No other number changes, and nothing is deleted.</p>
      {failed.value && <p class="fault">▲ It could not be reset.</p>}
      <p class="actions">
        <button type="button" onClick={() => void reset()}>
          Reset
        </button>
        <button type="button" class="quiet" onClick={closePanel}>
          Keep
        </button>
      </p>
    </Sheet>
  );
}

/** Gives what is wrong, or nothing. */
async function postUnblock(address: string): Promise<string> {
  try {
    const response = await fetch('/dashboard/unblock', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address }),
    });
    if (response.ok) return '';
    return ((await response.json()) as { message?: string }).message ?? `HTTP ${response.status}`;
  } catch {
    return 'The server does not answer.';
  }
}

async function readBlocked(): Promise<BlockedAddress[]> {
  const response = await fetch('/dashboard/blocked');
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as BlockedAddress[];
}
