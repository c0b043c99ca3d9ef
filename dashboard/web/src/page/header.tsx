import { signOut } from '../access/sign-in-view.tsx';
import type { Connection } from '../live/connection.ts';
import { connection, signedIn, signedOut, version } from '../live/live-state.ts';
import { changeLanguage, LANGUAGES, type Language, language } from '../words/language.ts';
import { shell } from '../words/shell.ts';
import { changeTheme, theme } from './theme.ts';

const ICONS: Readonly<Record<Connection, string>> = {
  connecting: '◌',
  live: '●',
  reconnecting: '↻',
  stale: '◑',
  disconnected: '✕',
};
const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', id: 'Bahasa Indonesia' };

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
        {shell().masking}
      </p>
      <Tools />
    </header>
  );
}

function Tools() {
  const words = shell();
  return (
    <div class="tools" role="group" aria-label={words.tools}>
      {LANGUAGES.filter((other) => other !== language.value).map((other) => (
        <button key={other} type="button" class="quiet" lang={other} onClick={() => changeLanguage(other)}>
          {LANGUAGE_NAMES[other]}
        </button>
      ))}
      <button type="button" class="quiet" onClick={changeTheme}>
        {words.theme[theme.value]}
      </button>
      {signedIn.value && (
        <button type="button" class="quiet" onClick={() => void signOut()}>
          {words.signOut}
        </button>
      )}
      {!signedIn.value && !signedOut.value && version.value !== '' && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            signedOut.value = true;
          }}
        >
          {words.signIn}
        </button>
      )}
    </div>
  );
}

/** The connection, as icon and word. The one live region for it: changes are read out, numbers are not. */
function Pill() {
  const state = connection.value;
  return (
    <p class={`pill ${state}`} role="status">
      <span aria-hidden="true">{ICONS[state]}</span> {shell().connection[state]}
    </p>
  );
}
