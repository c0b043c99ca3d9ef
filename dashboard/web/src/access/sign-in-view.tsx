import { useSignal } from '@preact/signals';
import { startOver } from '../live/open-stream.ts';

/** What an operator sees before signing in. */
export function SignInView() {
  const problem = useSignal(linkWasUsed() ? 'This sign-in link was used already, or is older than 10 minutes.' : '');
  const busy = useSignal(false);
  const signIn = async (form: HTMLFormElement) => {
    busy.value = true;
    const token = new FormData(form).get('token');
    problem.value = await postToken(typeof token === 'string' ? token : '');
    busy.value = false;
    if (problem.value !== '') return;
    form.reset();
    forgetLink();
    startOver();
  };
  return (
    <main class="sign-in">
      <h1>Sign in to the dashboard</h1>
      <p>
        Print a fresh sign-in link with <code>lontar dashboard</code>, or enter the dashboard token (
        <code>DASHBOARD_TOKEN</code>).
      </p>
      <p class="hint">
        After <code>npm start</code> the command is <code>npm run lontar -- dashboard</code>, with Docker{' '}
        <code>docker compose exec gateway lontar dashboard --url {location.origin}</code>.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(event.currentTarget);
        }}
      >
        {/* Password managers file the token under this name. */}
        <input hidden type="text" name="username" autocomplete="username" value="operator" readonly />
        <label>
          Dashboard token
          <input type="password" name="token" required autocomplete="current-password" />
        </label>
        <button type="submit" class="primary" disabled={busy.value}>
          Sign in
        </button>
      </form>
      <p class="hint">
        For callers: <a href="/docs/quick-start">quick start</a> and <a href="/docs">API reference</a>.
      </p>
      <p role="alert" class={problem.value === '' ? '' : 'fault'}>
        {problem.value}
      </p>
    </main>
  );
}

/** Ends the session here and on the server. */
export async function signOut(): Promise<void> {
  await fetch('/dashboard/sign-out', { method: 'POST' }).catch(() => undefined);
  startOver();
}

/** Gives what is wrong, or nothing. */
async function postToken(token: string): Promise<string> {
  try {
    const response = await fetch('/dashboard/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    if (response.ok) return '';
    return ((await response.json()) as { message?: string }).message ?? `HTTP ${response.status}`;
  } catch {
    return 'The server does not answer.';
  }
}

function linkWasUsed(): boolean {
  return new URLSearchParams(location.search).get('link') === 'used';
}

function forgetLink(): void {
  const url = new URL(location.href);
  url.searchParams.delete('link');
  history.replaceState(history.state, '', url);
}
