import { useSignal } from '@preact/signals';
import { startOver } from '../live/open-stream.ts';
import { placed } from '../words/placed.ts';
import { signIn as wordsOf } from '../words/sign-in.ts';

/** What an operator sees before signing in. */
export function SignInView() {
  const problem = useSignal<Problem | undefined>(linkWasUsed() ? (words) => words.linkUsed : undefined);
  const busy = useSignal(false);
  const signIn = async (form: HTMLFormElement) => {
    busy.value = true;
    const token = new FormData(form).get('token');
    problem.value = await postToken(typeof token === 'string' ? token : '');
    busy.value = false;
    if (problem.value !== undefined) return;
    form.reset();
    forgetLink();
    startOver();
  };
  const words = wordsOf();
  return (
    <main class="sign-in">
      <h1>{words.title}</h1>
      <p>{placed(words.how, <code>lontar dashboard</code>, <code>DASHBOARD_TOKEN</code>)}</p>
      <p class="hint">
        {placed(
          words.where,
          <code>npm run lontar -- dashboard</code>,
          <code>docker compose exec gateway lontar dashboard --url {location.origin}</code>,
        )}
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
          {words.token}
          <input type="password" name="token" required autocomplete="current-password" />
        </label>
        <button type="submit" class="primary" disabled={busy.value}>
          {words.signIn}
        </button>
      </form>
      <p class="hint">
        {placed(
          words.callers,
          <a href="/docs/quick-start">{words.quickStart}</a>,
          <a href="/docs">{words.apiReference}</a>,
        )}
      </p>
      <p role="alert" class={problem.value === undefined ? '' : 'fault'}>
        {problem.value?.(words)}
      </p>
    </main>
  );
}

/** Ends the session here and on the server. */
export async function signOut(): Promise<void> {
  await fetch('/dashboard/sign-out', { method: 'POST' }).catch(() => undefined);
  startOver();
}

/** What is wrong, in the language of now. */
type Problem = (words: ReturnType<typeof wordsOf>) => string;

/** Gives what is wrong, or nothing. */
async function postToken(token: string): Promise<Problem | undefined> {
  try {
    const response = await fetch('/dashboard/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    if (response.ok) return undefined;
    if (response.status === 401) return (words) => words.wrong;
    const seconds = response.headers.get('retry-after');
    if (response.status === 429 && seconds !== null) return (words) => words.tooMany(seconds);
    const { message = `HTTP ${response.status}` } = (await response.json()) as { readonly message?: string };
    return () => message;
  } catch {
    return (words) => words.noAnswer;
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
