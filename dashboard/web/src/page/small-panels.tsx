import type { BlockedAddress } from '@lontar/shared/dashboard-contract.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { showNotice } from '../clipboard/copy.ts';
import { clock } from '../live/live-state.ts';
import { formatSpan } from '../tiles/format.ts';
import { panels } from '../words/panels.ts';
import { placed } from '../words/placed.ts';
import { shell } from '../words/shell.ts';
import { BlockForm } from './block-form.tsx';
import { closePanel } from './panels.ts';
import { Sheet } from './sheet.tsx';

/**
 * The addresses that are blocked now, and the way to block one.
 *
 * @param address one that is to be blocked
 */
export function BlockedSheet({ address: wanted }: { readonly address?: string }) {
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
    if (problem.value === '') showNotice(panels().lifted(address));
    await read();
  };
  useEffect(() => {
    void read();
  }, []);
  const words = panels();
  return (
    <Sheet title={words.blocked}>
      {failed.value && <p class="fault">▲ {words.unread}</p>}
      {problem.value !== '' && <p class="fault">▲ {problem.value}</p>}
      {list.value?.length === 0 && <p class="hint">{words.none}</p>}
      {list.value && list.value.length > 0 && (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">{words.columns.address}</th>
              <th scope="col">{words.columns.why}</th>
              <th scope="col">{words.columns.until}</th>
              <th scope="col">{words.columns.lift}</th>
            </tr>
          </thead>
          <tbody>
            {list.value.map(({ address, reason, until }) => (
              <tr key={address}>
                <td>
                  <code>{address}</code>
                </td>
                <td>{words.reasons[reason]}</td>
                <td>{until === null ? words.untilLifted : words.another(formatSpan(until - clock.value))}</td>
                <td>
                  {reason === 'over the hourly limit' ? (
                    words.byItself
                  ) : (
                    <button
                      type="button"
                      class="link"
                      aria-label={words.liftOf(address)}
                      onClick={() => void lift(address)}
                    >
                      {words.columns.lift}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <BlockForm wanted={wanted} onBlocked={() => void read()} />
      <p class="hint">{placed(words.commands, <code>lontar ips block</code>, <code>lontar ips unblock</code>)}</p>
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
  const words = panels();
  return (
    <Sheet title={words.resetTitle} small>
      <p>{words.resetWhy}</p>
      {failed.value && <p class="fault">▲ {words.resetFailed}</p>}
      <p class="actions">
        <button type="button" onClick={() => void reset()}>
          {words.reset}
        </button>
        <button type="button" class="quiet" onClick={closePanel}>
          {words.keep}
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
    if (response.status === 404) return panels().cannotLift;
    return ((await response.json()) as { message?: string }).message ?? `HTTP ${response.status}`;
  } catch {
    return `${shell().failed.unreachable}.`;
  }
}

async function readBlocked(): Promise<BlockedAddress[]> {
  const response = await fetch('/dashboard/blocked');
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as BlockedAddress[];
}
