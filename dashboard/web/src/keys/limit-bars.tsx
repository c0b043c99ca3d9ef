import type { UsedKey } from '@lontar/shared/admin/admin-schemas.ts';
import { formatCount } from '../tiles/format.ts';
import { keys } from '../words/keys.ts';

/** Below this share a limit is nearly used up. */
const SCARCE = 0.1;

/** What is left of the limits of a key, as bars with their numbers. */
export function LimitBars({ credits, charged, perHour, perDay, use }: UsedKey) {
  const words = keys();
  const limits = [
    ['hour', perHour, use?.hourUsed ?? 0],
    ['day', perDay, use?.dayUsed ?? 0],
    ['credits', credits, charged],
  ] as const;
  const set = limits.filter(([, limit]) => limit !== null);
  if (set.length === 0) return <span class="none">{words.noLimits}</span>;
  return (
    <span class="limit-bars">
      {set.map(([name, limit, used]) => {
        const most = limit ?? 0;
        const left = Math.max(0, most - Math.max(0, used));
        const share = most === 0 ? 0 : left / most;
        return (
          <span key={name} class="limit">
            <span>{words.limits[name]}</span>
            <span class="meter" aria-hidden="true">
              <i class={share < SCARCE ? 'scarce' : ''} style={{ width: `${share * 100}%` }} />
            </span>
            <span class="amount">{words.leftOf(formatCount(left), formatCount(most))}</span>
          </span>
        );
      })}
    </span>
  );
}

/** The state of a key, as icon and word. */
export function StateWord({ state }: Pick<UsedKey, 'state'>) {
  const [icon, tone] = STATES[state];
  return (
    <span class={`word ${tone}`}>
      <span aria-hidden="true">{icon}</span> {keys().states[state]}
    </span>
  );
}

const STATES = { active: ['●', 'success'], expired: ['◷', 'caller'], revoked: ['⊘', 'failure'] } as const;
