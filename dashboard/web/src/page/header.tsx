import { signOut } from '../access/sign-in-view.tsx';
import { CONNECTION_WORDS, type Connection } from '../live/connection.ts';
import { connection, dataAt, signedIn, signedOut, trouble } from '../live/live-state.ts';
import { reconnectNow } from '../live/open-stream.ts';
import { formatClock } from '../tiles/format.ts';
import { openTryIt } from './panels.ts';
import { changeTheme, theme } from './theme.ts';

const ICONS: Readonly<Record<Connection, string>> = {
  connecting: '◌',
  live: '●',
  reconnecting: '↻',
  stale: '◑',
  disconnected: '✕',
};
const THEME_WORDS = { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' } as const;

/** Name, connection, the promise of masking, and what can be done. */
export function Header() {
  return (
    <header class="top">
      <h1>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="7" />
          <path d="M8 10h16M8 16h16M8 22h10" />
          <circle cx="24" cy="22" r="2.2" />
        </svg>
        Lontar
      </h1>
      {!signedOut.value && <Pill />}
      <p class="masking">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 1.5 13.5 3.5V8c0 3.2-2.2 5.4-5.5 6.5C4.7 13.4 2.5 11.2 2.5 8V3.5zM5.5 8l1.8 1.8 3.2-3.6" />
        </svg>
        Masking: automatic, always on
      </p>
      <nav aria-label="Page">
        {!signedOut.value && (
          <button type="button" class="primary" aria-haspopup="dialog" onClick={openTryIt}>
            Try it
          </button>
        )}
        <button type="button" class="quiet" onClick={changeTheme}>
          {THEME_WORDS[theme.value]}
        </button>
        {signedIn.value && (
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        )}
        {!signedIn.value && !signedOut.value && dataAt.value !== undefined && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              signedOut.value = true;
            }}
          >
            Sign in
          </button>
        )}
      </nav>
    </header>
  );
}

/** The connection, as icon and word. The one live region for it: changes are read out, numbers are not. */
function Pill() {
  const state = connection.value;
  return (
    <p class={`pill ${state}`} role="status">
      <span aria-hidden="true">{ICONS[state]}</span> {CONNECTION_WORDS[state]}
    </p>
  );
}

/** Why the page is cut off, and what to do. */
export function Trouble() {
  const state = connection.value;
  if (state !== 'disconnected' && state !== 'stale') return null;
  const since = dataAt.value === undefined ? 'No data yet' : `No data since ${formatClock(dataAt.value)}`;
  const reason = state === 'stale' ? 'The connection is open, but nothing comes.' : trouble.value;
  return (
    <div class="trouble">
      <p>
        <strong>{since}.</strong> {reason} The page keeps trying by itself.
      </p>
      <button type="button" onClick={reconnectNow}>
        Retry
      </button>
    </div>
  );
}
